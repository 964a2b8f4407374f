"use client";

import { Button, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";

import { type EmailDetail, readAttachment } from "#app/console/(pages)/emails/queries.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { formatBytes } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./email-attachments.module.css";
import { bytesFromBinary, saveFile } from "./save-file.ts";

type File = EmailDetail["attachments"][number];

export function EmailAttachments({ email }: { email: EmailDetail }) {
  if (email.attachments.length === 0) return null;
  return (
    <Panel title="Attachments">
      <ul className={classes.files}>
        {email.attachments.map((file) => (
          <li key={file.position}>
            <AttachmentRow emailId={email.id} file={file} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const nameOf = ({ filename, position }: File): string => filename ?? `attachment-${position + 1}`;

function AttachmentRow({ emailId, file }: { emailId: string; file: File }) {
  const name = nameOf(file);
  const download = useMutation({
    mutationFn: () => readAttachment(emailId, file.position),
    onSuccess: ({ content }) => saveFile(name, bytesFromBinary(atob(content))),
  });
  const facts = [
    formatBytes(file.size),
    file.content_type,
    file.content_id && `inline as cid:${file.content_id}`,
  ];
  return (
    <>
      <div className={classes.file}>
        <div className={classes.words}>
          {name}
          <Text size="sm" c="dimmed">
            {facts.filter(Boolean).join(", ")}
          </Text>
        </div>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} />}
          aria-label={`Download ${name}`}
          aria-busy={download.isPending}
          onClick={() => !download.isPending && download.mutate()}
        >
          Download
        </Button>
      </div>
      <FormError error={download.error} />
    </>
  );
}
