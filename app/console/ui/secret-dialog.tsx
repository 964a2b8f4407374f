"use client";

import { Button, Group, Stack } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type ReactNode, useEffect } from "react";

import { CopyTextButton } from "./copy-button.tsx";
import { Modal } from "./modal.tsx";
import classes from "./secret-dialog.module.css";

type Secret = {
  /** Shown, copied and, as a file of this name, downloaded. */
  secret: string;
  fileName: string;
  title: string;
  /** "I have stored it" was pressed. */
  onStored: () => void;
  /** What it is for, and whether it can be seen again. */
  children: ReactNode;
  /** Other ways to keep it, beside copying and downloading. */
  extraActions?: ReactNode;
  /** What can be done with it at once. */
  footer?: ReactNode;
};

/**
 * A secret in the moment it is made. Neither Escape nor a click beside it closes the dialog, and leaving
 * the page asks first: only the button that says so does.
 */
export function SecretDialog({ title, ...content }: Secret) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, []);
  return (
    <Modal
      opened
      onClose={() => {}}
      title={title}
      size={660}
      centered
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Content {...content} />
    </Modal>
  );
}

function Content({
  secret,
  fileName,
  onStored,
  extraActions,
  footer,
  children,
}: Omit<Secret, "title">) {
  return (
    <Stack gap="md">
      <div>{children}</div>
      <code className={classes.secret}>{secret}</code>
      {/* First in the dialog: an Enter too many copies it. */}
      <Group gap="xs">
        <CopyTextButton value={secret}>Copy</CopyTextButton>
        <Button
          component="a"
          variant="default"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${secret}\n`)}`}
          download={fileName}
          leftSection={<IconDownload size={14} />}
        >
          Download
        </Button>
        {extraActions}
        <Button ml="auto" onClick={onStored}>
          I have stored it
        </Button>
      </Group>
      {footer}
    </Stack>
  );
}
