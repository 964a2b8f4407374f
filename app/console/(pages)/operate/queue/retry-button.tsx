"use client";

import { Button, type ButtonProps } from "@mantine/core";

import { type Subject, useRetryMail } from "./queries.ts";

export function RetryButton({
  subject,
  name,
  size = "sm",
}: {
  subject: Subject;
  name: string;
  size?: ButtonProps["size"];
}) {
  const retry = useRetryMail();
  return (
    <Button
      size={size}
      variant="default"
      aria-label={`Retry ${name} now`}
      aria-busy={retry.isPending}
      onClick={() => retry.start(subject)}
    >
      Retry now
    </Button>
  );
}
