"use client";

import { Text } from "@mantine/core";

import { Modal } from "#app/console/ui/dialog.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { ConfirmIdentityForm } from "./confirm-identity-form.tsx";
import { type Factors, type Passkey, useRemoveFactor } from "./queries.ts";

/** @param passkey null for the authenticator app */
export function RemoveFactor({
  factors,
  passkey,
  onClose,
}: {
  factors: Factors;
  passkey: Passkey | null;
  onClose: () => void;
}) {
  const remove = useRemoveFactor(passkey?.id ?? null);
  const factor = passkey === null ? "authenticator app" : `passkey ${passkey.name}`;
  const isLast = Number(factors.totp) + factors.passkeys.length === 1;
  if (isLast && factors.isRequired)
    return (
      <Modal opened onClose={onClose} title={`Remove ${factor}?`}>
        <Text>
          This is your only second factor, and your company requires one. Add another one first.
        </Text>
      </Modal>
    );
  return (
    <Modal opened onClose={onClose} title={`Remove ${factor}?`}>
      <ConfirmIdentityForm
        factors={factors}
        verb={passkey === null ? "Remove app" : "Remove passkey"}
        isDangerous
        send={remove.mutateAsync}
        onClose={onClose}
        onDone={() => {
          onClose();
          toast(`Removed ${factor}`);
        }}
      >
        {isLast
          ? "You’ll sign in with your password alone. Your recovery codes are deleted too."
          : "You can no longer sign in with it. Your other factors keep working."}
      </ConfirmIdentityForm>
    </Modal>
  );
}
