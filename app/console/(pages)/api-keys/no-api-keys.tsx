"use client";

import { Button, Text } from "@mantine/core";
import Link from "next/link";

import { EmptyState } from "#app/console/ui/empty-state.tsx";

import { SendEmailSamples } from "./send-email-samples.tsx";

export function NoApiKeys() {
  return (
    <EmptyState title="Create your first API key">
      <Text c="dimmed">
        Applications use an API key to send emails and call the API. Create a separate key for each
        application, so you can see what each one does and revoke one without affecting the others.
      </Text>
      <div>
        <Button component={Link} href="/console/api-keys/new">
          Create API key
        </Button>
      </div>
      <Text mt="xs">Then run this code to send an email:</Text>
      <SendEmailSamples />
    </EmptyState>
  );
}
