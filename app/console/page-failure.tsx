"use client";

import { Button, Group, Stack, Text, Title } from "@mantine/core";

import { isOutdated } from "./is-outdated.ts";

/** What Next hands to the page that stands in for one that failed. */
export type Failure = { error: Error & { digest?: string }; reset: () => void };

/** In place of a page that came to nothing. */
export function PageFailure({ error, reset }: Failure) {
  const outdated = isOutdated(error);
  return (
    <Stack gap="sm" role="alert" align="flex-start">
      <Title order={1}>{outdated ? "Reload to go on" : "This page failed"}</Title>
      <Text c="dimmed">
        {outdated
          ? "A part of this page could not be loaded: the server has a newer version, or cannot be reached."
          : "Something in it went wrong, in your browser or on the server. What you did before is safe."}
        {error.digest && ` Request ${error.digest}`}
      </Text>
      <Group gap="xs">
        <Button onClick={() => window.location.reload()}>Reload</Button>
        {!outdated && (
          <Button variant="default" onClick={reset}>
            Try again
          </Button>
        )}
      </Group>
    </Stack>
  );
}
