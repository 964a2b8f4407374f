"use client";

import { Button, Stack, Text, Title } from "@mantine/core";
import Link from "next/link";

import { HOME } from "#app/console/next-page.ts";
import { ServerChecks } from "#app/console/ui/checks/server-checks.tsx";

/** Shows the server's checks to its new operator. */
export function ServerStep() {
  return (
    <Stack gap="lg" data-wide>
      <div>
        <Text size="sm" c="dimmed">
          Step 2 of 2
        </Text>
        <Title order={1}>Check that the server is ready</Title>
        <Text c="dimmed">You can fix problems later. The same checks are on the Health page.</Text>
      </div>
      <ServerChecks />
      <div>
        <Button component={Link} href={HOME} size="md">
          Open the console
        </Button>
      </div>
    </Stack>
  );
}
