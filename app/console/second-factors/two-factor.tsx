"use client";

import { Button, Group, Text } from "@mantine/core";
import dynamic from "next/dynamic";
import { useState } from "react";

import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import type { OpenedDialog } from "./factor-dialogs.tsx";
import type { Factors, Passkey } from "./queries.ts";

// Loaded on demand: most visits never open these dialogs.
const FactorDialog = dynamic(() =>
  import("./factor-dialogs.tsx").then((module) => module.FactorDialog),
);

/** @param canSkipPassword whether a passkey also signs in without the password */
export function TwoFactor({
  email,
  factors,
  canSkipPassword = false,
}: {
  email: string;
  factors: Factors;
  canSkipPassword?: boolean;
}) {
  const [dialog, setDialog] = useState<OpenedDialog | null>(null);
  const isOn = factors.totp || factors.passkeys.length > 0;
  return (
    <Panel
      title="Two-factor authentication"
      aside={
        isOn ? (
          <Status tone="done" label="On" />
        ) : (
          <Status tone={factors.isRequired ? "waiting" : "none"} label="Off" />
        )
      }
    >
      <Text c="dimmed" mb="md" maw={640}>
        Protect your sign-in with a second factor, so that a stolen password alone isn’t enough.
      </Text>
      <ItemList label="Second factors">
        <AuthenticatorAppRow factors={factors} onOpen={setDialog} />
        <PasskeysRow factors={factors} canSkipPassword={canSkipPassword} onOpen={setDialog} />
        {factors.passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} onOpen={setDialog} />
        ))}
        {isOn && <RecoveryCodesRow left={factors.recoveryCodesLeft} onOpen={setDialog} />}
      </ItemList>
      {dialog && (
        <FactorDialog
          dialog={dialog}
          email={email}
          factors={factors}
          onClose={() => setDialog(null)}
        />
      )}
    </Panel>
  );
}

type OpenDialog = { onOpen: (dialog: OpenedDialog) => void };

function AuthenticatorAppRow({ factors, onOpen }: OpenDialog & { factors: Factors }) {
  const add = () => onOpen({ kind: "add_totp" });
  return (
    <ItemRow
      title="Authenticator app"
      actions={
        factors.totp ? (
          <Group gap="xs">
            <Status tone="done" label="Set up" />
            <Button variant="default" onClick={() => onOpen({ kind: "remove_totp" })}>
              Remove
            </Button>
          </Group>
        ) : (
          <Button variant="default" onClick={add}>
            Set up app
          </Button>
        )
      }
    >
      A six-digit code from an app such as Google Authenticator, 2FAS, or 1Password.
    </ItemRow>
  );
}

function PasskeysRow({
  factors,
  canSkipPassword,
  onOpen,
}: OpenDialog & { factors: Factors; canSkipPassword: boolean }) {
  const alone = canSkipPassword ? " A passkey can also sign you in without your password." : "";
  return (
    <ItemRow
      title="Passkeys"
      actions={
        factors.passkeysPossible && (
          <Button variant="default" onClick={() => onOpen({ kind: "add_passkey" })}>
            Add passkey
          </Button>
        )
      }
    >
      {factors.passkeysPossible
        ? `Use your fingerprint, face, PIN, or a security key.${alone}`
        : "Passkeys require this site to use a domain name and HTTPS."}
    </ItemRow>
  );
}

function PasskeyRow({ passkey, onOpen }: OpenDialog & { passkey: Passkey }) {
  return (
    <ItemRow
      title={passkey.name}
      actions={
        <Group gap="xs">
          <Button
            variant="default"
            aria-label={`Rename ${passkey.name}`}
            onClick={() => onOpen({ kind: "rename", passkey })}
          >
            Rename
          </Button>
          <Button
            variant="default"
            aria-label={`Remove ${passkey.name}`}
            onClick={() => onOpen({ kind: "remove_passkey", passkey })}
          >
            Remove
          </Button>
        </Group>
      }
    >
      Added <RelativeTime at={passkey.createdAt} />
      {passkey.lastUsedAt === null ? (
        ", never used"
      ) : (
        <>
          , last used <RelativeTime at={passkey.lastUsedAt} />
        </>
      )}
    </ItemRow>
  );
}

const LOW_RECOVERY_CODES = 3;

function RecoveryCodesRow({ left, onOpen }: OpenDialog & { left: number }) {
  return (
    <ItemRow
      title="Recovery codes"
      actions={
        <Group gap="xs">
          {left <= LOW_RECOVERY_CODES && (
            <Status tone="waiting" label={left === 0 ? "None left" : "Few left"} />
          )}
          <Button variant="default" onClick={() => onOpen({ kind: "new_codes" })}>
            Generate new codes
          </Button>
        </Group>
      }
    >
      {left} of 10 left. Use one to sign in if you lose your devices. Each code works once.
    </ItemRow>
  );
}
