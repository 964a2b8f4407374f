import { Text } from "@mantine/core";
import type { ReactNode } from "react";

import { EmptyState } from "#app/console/ui/empty-state.tsx";

import { SignatureSamples } from "./signature-samples.tsx";

export function NoWebhooks({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="Receive events in real time">
      <Text c="dimmed">
        A webhook posts events to your endpoint, for example when an email is delivered, bounces, or
        is opened. Posthouse retries failed deliveries for more than a day.
      </Text>
      <div>{create}</div>
      <Text mt="xs">
        Your endpoint verifies the signature, responds with a 2xx status within 10 seconds, and then
        processes the event:
      </Text>
      <SignatureSamples />
    </EmptyState>
  );
}
