"use client";

import { downloadUrl } from "#app/console/console-client.ts";
import { Button, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { formatBytes } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./email-attachments.module.css";

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
  const facts = [
    formatBytes(file.size),
    file.contentType,
    file.contentId && `inline as cid:${file.contentId}`,
  ];
  return (
    <div className={classes.file}>
      <div className={classes.words}>
        {name}
        <Text size="sm" c="dimmed">
          {facts.filter(Boolean).join(", ")}
        </Text>
      </div>
      <Button
        component="a"
        href={downloadUrl("emails.downloadAttachment", {
          params: { id: emailId, position: String(file.position) },
        })}
        download
        variant="default"
        size="xs"
        leftSection={<IconDownload size={14} />}
        aria-label={`Download ${name}`}
      >
        Download
      </Button>
    </div>
  );
}
