import { Text } from "@mantine/core";
import type { ReactNode } from "react";

import { EmptyList } from "#app/console/ui/empty-list.tsx";

import { SignatureSamples } from "./signature-samples.tsx";

/** What one sees before the first webhook: what it is for, and the program at the other end. */
export function NoWebhooks({ create }: { create: ReactNode }) {
  return (
    <EmptyList title="Hear what happens, as it happens">
      <Text c="dimmed">
        A webhook posts every event that you choose to an address of yours: an email was delivered,
        bounced, opened. What does not arrive is tried again for more than a day.
      </Text>
      <div>{create}</div>
      <Text mt="xs">
        The program at that address checks the signature, answers with a status from 200 to 299
        within 10 seconds, and does its work after that:
      </Text>
      <SignatureSamples />
    </EmptyList>
  );
}
