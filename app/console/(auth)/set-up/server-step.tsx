"use client";

import { Button, Stack, Text, Title } from "@mantine/core";
import Link from "next/link";

import { HOME } from "#app/console/next-page.ts";
import { ServerChecks } from "#app/console/ui/checks/server-checks.tsx";

/** What the server still needs, for the person who has just become its operator. */
export function ServerStep() {
  return (
    <Stack gap="lg" data-wide>
      <div>
        <Text size="sm" c="dimmed">
          Step 2 of 2
        </Text>
        <Title order={1}>Is this server ready for mail?</Title>
        <Text c="dimmed">
          Nothing here has to be mended now: you find the same under Health, whenever you come back.
        </Text>
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
