"use client";

import { Button, Group, Stack } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { CopyTextButton } from "./copy-button.tsx";
import { Modal } from "./modal.tsx";
import { useWarnBeforeUnload } from "./use-warn-before-unload.ts";
import classes from "./secret-dialog.module.css";

type Secret = {
  secret: string;
  fileName: string;
  title: string;
  onStored: () => void;
  /** What the secret is for, and whether it is shown again. */
  children: ReactNode;
  /** Buttons next to Copy and Download. */
  extraActions?: ReactNode;
  footer?: ReactNode;
};

/** Shows a new secret. Only its button closes the dialog, and leaving the page asks for confirmation. */
export function SecretDialog({ title, ...content }: Secret) {
  useWarnBeforeUnload();
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
      <SecretDialogContent {...content} />
    </Modal>
  );
}

function SecretDialogContent({
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
      {/* Copy is focused first: a stray Enter must not close the dialog. */}
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
          I’ve saved it
        </Button>
      </Group>
      {footer}
    </Stack>
  );
}
