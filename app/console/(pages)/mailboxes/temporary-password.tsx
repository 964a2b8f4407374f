"use client";

import { Text } from "@mantine/core";

import { SecretDialog } from "#app/console/ui/secret-dialog.tsx";

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
    >
      <Text>
        Hand it to the person. They sign in with it at{" "}
        <strong>{`${window.location.origin}/account`}</strong> and choose a password of their own;
        until then no mail app gets in. It is not shown again.
      </Text>
    </SecretDialog>
  );
}
