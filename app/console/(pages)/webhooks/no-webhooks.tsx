import { Text } from "@mantine/core";
import type { ReactNode } from "react";

import { EmptyList } from "#app/console/ui/empty-list.tsx";

import { SignatureSamples } from "./signature-samples.tsx";

export function NoWebhooks({ create }: { create: ReactNode }) {
  return (
    <EmptyList title="Receive events in real time">
      <Text c="dimmed">
        A webhook posts events to your endpoint, for example when an email is delivered, bounces, or
        is opened. We retry failed deliveries for more than a day.
      </Text>
      <div>{create}</div>
      <Text mt="xs">
        Your endpoint verifies the signature, responds with a 2xx status within 10 seconds, and then
        processes the event:
      </Text>
      <SignatureSamples />
    </EmptyList>
  );
}
