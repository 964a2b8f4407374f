"use client";

import { Button, Group, Skeleton, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";

import { emailSourceQuery, readSource } from "#app/console/(pages)/emails/queries.ts";
import { sizeInWords } from "#app/console/(pages)/emails/size-in-words.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { octetsOf, saveFile } from "./save-file.ts";

/** The message itself, made as the worker makes it. */
export function Source({ emailId, isSent }: { emailId: string; isSent: boolean }) {
  const source = useQuery(emailSourceQuery(emailId));
  const download = useMutation({
    mutationFn: () => readSource(emailId, { whole: "true" }),
    onSuccess: ({ message }) => saveFile(`${emailId}.eml`, octetsOf(message)),
  });
  return (
    <QueryView query={source} what="the source" skeleton={<Skeleton height={320} />}>
      {({ message, size }) => (
        <>
          <Group justify="space-between" mb="xs" gap="xs">
            <Text size="sm" c="dimmed">
              {isSent
                ? "As it was sent, without the DKIM signature that each attempt adds."
                : "As it will be sent. Its date and Message-ID are set when it is."}
            </Text>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconDownload size={14} />}
              data-loading={download.isPending || undefined}
              onClick={() => !download.isPending && download.mutate()}
            >
              Download .eml
            </Button>
          </Group>
          <FormProblem error={download.error} />
          <CodeBlock code={message} what="message source" />
          {message.length < size && (
            <Text size="sm" c="dimmed" mt="xs">
              These are the first {sizeInWords(message.length)} of {sizeInWords(size)}.
            </Text>
          )}
        </>
      )}
    </QueryView>
  );
}
