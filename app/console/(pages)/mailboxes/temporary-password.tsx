"use client";

import { Text } from "@mantine/core";

import { SecretDialog } from "#app/console/ui/secret-dialog.tsx";

import { PrintWelcomeSheets } from "./welcome/print-welcome-sheets.tsx";

/** A temporary password in the moment it is made, with what its owner does with it. */
export function TemporaryPassword({
  address,
  password,
  onStored,
}: {
  address: string;
  password: string;
  onStored: () => void;
}) {
  return (
    <SecretDialog
      title={`The temporary password of ${address}`}
      secret={password}
      fileName={`${address}.txt`}
      onStored={onStored}
      extraActions={
        <PrintWelcomeSheets people={[{ address, password }]}>
          Print welcome sheet
        </PrintWelcomeSheets>
      }
    >
      <Text>
        Hand it to the person, best on a welcome sheet that says the rest too. They sign in with it
        at <strong>{`${window.location.origin}/account`}</strong> and choose a password of their
        own; until then no mail app gets in. It is not shown again.
      </Text>
    </SecretDialog>
  );
}
