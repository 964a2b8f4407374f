"use client";

import { Anchor, Stack, Text, Title } from "@mantine/core";
import Link from "next/link";

import { HOME } from "./next-page.ts";
import { DoorLayout } from "./ui/door-layout.tsx";

export default function NotFound() {
  return (
    <DoorLayout>
      <Stack gap="xs">
        <Title order={1}>There is no such page</Title>
        <Text c="dimmed">The address may be mistyped, or the page has moved.</Text>
        <Anchor component={Link} href={HOME}>
          Go to the overview
        </Anchor>
      </Stack>
    </DoorLayout>
  );
}
