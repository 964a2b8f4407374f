"use client";

import { Text } from "@mantine/core";

import { Modal } from "#app/console/ui/modal.tsx";
import { toast } from "#app/console/ui/toast.ts";

import { ProveForm } from "./prove-form.tsx";
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
  const what = passkey === null ? "authenticator app" : `passkey ${passkey.name}`;
  const isLast = Number(factors.totp) + factors.passkeys.length === 1;
  if (isLast && factors.is_required)
    return (
      <Modal opened onClose={onClose} title={`Remove the ${what}?`}>
        <Text>
          It is your only second factor, and your company asks for one. Add another one first.
        </Text>
      </Modal>
    );
  return (
    <Modal opened onClose={onClose} title={`Remove the ${what}?`}>
      <ProveForm
        factors={factors}
        verb="Remove"
        isDangerous
        isPending={remove.isPending}
        error={remove.error}
        onClose={onClose}
        onShown={(shown) =>
          remove.mutate(shown, {
            onSuccess: () => {
              onClose();
              toast(`The ${what} was removed.`);
            },
          })
        }
      >
        {isLast
          ? "Signing in asks for the password alone from then on. Your recovery codes go as well."
          : "It signs you in no more. Your other factors stay."}
      </ProveForm>
    </Modal>
  );
}
