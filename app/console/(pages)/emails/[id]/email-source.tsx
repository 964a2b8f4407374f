"use client";

import { downloadUrl } from "#app/console/console-client.ts";
import { Button, Group, Skeleton, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { emailSourceQuery } from "#app/console/(pages)/emails/queries.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { formatBytes } from "#app/console/ui/format.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";

/** The message source, generated the same way as for sending. */
export function EmailSource({ emailId, isSent }: { emailId: string; isSent: boolean }) {
  const source = useQuery(emailSourceQuery(emailId));
  return (
    <QueryView query={source} noun="the source" skeleton={<Skeleton height={320} />}>
      {({ message, size }) => (
        <>
          <Group justify="space-between" mb="xs" gap="xs">
            <Text size="sm" c="dimmed">
              {isSent
                ? "As sent, without the DKIM signature that is added at each attempt."
                : "As it will be sent. The date and Message-ID are set at sending."}
            </Text>
            <Button
              component="a"
              href={downloadUrl("emails.download", { params: { id: emailId } })}
              download
              variant="default"
              size="xs"
              leftSection={<IconDownload size={14} />}
            >
              Download .eml
            </Button>
          </Group>
          <CodeBlock code={message} label="message source" />
          {message.length < size && (
            <Text size="sm" c="dimmed" mt="xs">
              Showing the first {formatBytes(message.length)} of {formatBytes(size)}.
            </Text>
          )}
        </>
      )}
    </QueryView>
  );
}
