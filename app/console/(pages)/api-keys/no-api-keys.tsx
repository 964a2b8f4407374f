"use client";

import { Button, Text } from "@mantine/core";
import Link from "next/link";

import { EmptyList } from "#app/console/ui/empty-list.tsx";

import { SendSamples } from "./send-samples.tsx";

/** What one sees before the first key: what it is for, and the program that will use it. */
export function NoApiKeys() {
  return (
    <EmptyList title="Send from your own program">
      <Text c="dimmed">
        A program that sends emails or uses the API shows a key with each request. Give every
        program a key of its own: then you see which one did what, and can revoke one without the
        others.
      </Text>
      <div>
        <Button component={Link} href="/console/api-keys/new">
          Create API key
        </Button>
      </div>
      <Text mt="xs">Put it into the program&rsquo;s environment, and this sends an email:</Text>
      <SendSamples />
    </EmptyList>
  );
}
