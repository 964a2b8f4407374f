"use client";

import { Button, Text } from "@mantine/core";

import { SecretDialog } from "#app/console/ui/dialog.tsx";

import { PrintWelcomeSheets } from "./welcome/print-welcome-sheets.tsx";

export function TemporaryPassword({
  address,
  password,
  onStored,
  onCreateAnother,
}: {
  address: string;
  password: string;
  onStored: () => void;
  onCreateAnother?: () => void;
}) {
  return (
    <SecretDialog
      title={`Temporary password for ${address}`}
      secret={password}
      fileName={`${address}.txt`}
      onStored={onStored}
      extraActions={
        <>
          <PrintWelcomeSheets people={[{ address, password }]}>
            Print welcome sheet
          </PrintWelcomeSheets>
          {onCreateAnother && (
            <Button variant="default" ml="auto" onClick={onCreateAnother}>
              Saved, create another
            </Button>
          )}
        </>
      }
    >
      <Text>
        Give it to the mailbox user, ideally on a welcome sheet with setup instructions. They sign
        in with it at <strong>{`${window.location.origin}/account`}</strong> and set a new password.
        Until then, mail apps can’t sign in. You won’t be able to see it again.
      </Text>
    </SecretDialog>
  );
}
