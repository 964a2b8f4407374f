"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useState } from "react";

import { CopyTextButton } from "#app/console/ui/code.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { PrintedPage } from "#app/console/ui/printed-page.tsx";
import { useWarnBeforeUnload } from "#app/console/ui/form/use-form.ts";

import classes from "./recovery-codes-dialog.module.css";

/** Shows new recovery codes once. Only the button closes it, so that the codes aren't lost by accident. */
export function RecoveryCodesDialog({ codes, onSaved }: { codes: string[]; onSaved: () => void }) {
  useWarnBeforeUnload();
  const text = codes.join("\n");
  const [isPrinting, setIsPrinting] = useState(false);
  return (
    <Modal
      opened
      onClose={() => {}}
      title="Save your recovery codes"
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text>
          If you lose your authenticator app or passkey, sign in with one of these codes. Each works
          once. You won’t be able to see them again.
        </Text>
        <ol className={classes.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        {/* Comes first, so that a stray Enter copies the codes instead of closing the dialog. */}
        <Group gap="xs">
          <CopyTextButton value={text}>Copy</CopyTextButton>
          <Button
            component="a"
            variant="default"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
            download="posthouse-recovery-codes.txt"
            leftSection={<IconDownload size={14} />}
          >
            Download
          </Button>
          <Button
            variant="default"
            leftSection={<IconPrinter size={14} />}
            onClick={() => setIsPrinting(true)}
          >
            Print
          </Button>
          <Button ml="auto" onClick={onSaved}>
            I’ve saved my codes
          </Button>
        </Group>
      </Stack>
      {isPrinting && (
        <PrintedPage onPrinted={() => setIsPrinting(false)}>
          <div className={classes.sheet}>
            <h1>Recovery codes for {window.location.host}</h1>
            <pre>{text}</pre>
          </div>
        </PrintedPage>
      )}
    </Modal>
  );
}
