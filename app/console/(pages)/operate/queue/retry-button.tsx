"use client";

import { Button, type ButtonProps } from "@mantine/core";

import { pluralize } from "#app/console/ui/format.ts";
import { toast } from "#app/console/ui/toast.tsx";

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
      onClick={() =>
        retry.mutate(subject, {
          onSuccess: ({ recipients }) =>
            toast(
              recipients === 0
                ? "No mail is waiting for a retry"
                : `Retrying mail for ${pluralize(recipients, "recipient")}`,
            ),
          onError: (error) => toast(error.message),
        })
      }
    >
      Retry now
    </Button>
  );
}
