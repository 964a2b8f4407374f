"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useEffect } from "react";

import { CopyTextButton } from "#app/console/ui/copy-button.tsx";
import { Modal } from "#app/console/ui/modal.tsx";

import classes from "./recovery-codes.module.css";

/**
 * The recovery codes in the moment they are made. Neither Escape nor a click beside it closes the dialog,
 * and leaving the page asks first: only the button that says so does.
 */
export function RecoveryCodes({ codes, onStored }: { codes: string[]; onStored: () => void }) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, []);
  const text = codes.join("\n");
  return (
    <Modal
      opened
      onClose={() => {}}
      title="Store your recovery codes"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text>
          Each of them signs you in once, in place of your app or passkey, when that is lost. They
          are shown now and never again.
        </Text>
        <ol className={classes.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        {/* First in the dialog: an Enter too many copies them. */}
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
            onClick={() => print(text)}
          >
            Print
          </Button>
          <Button ml="auto" onClick={onStored}>
            I have stored them
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** On a sheet of their own: what is behind the dialog is nobody's business on paper. */
function print(text: string): void {
  const sheet = window.open("", "_blank", "width=600,height=700");
  if (!sheet) return;
  const heading = sheet.document.createElement("h1");
  heading.textContent = `Recovery codes for ${window.location.host}`;
  const codes = sheet.document.createElement("pre");
  codes.textContent = text;
  sheet.document.title = "Recovery codes";
  sheet.document.body.append(heading, codes);
  sheet.print();
  sheet.close();
}
