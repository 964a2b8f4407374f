import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";

import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { RichText, useTexts } from "#app/console/ui/texts.tsx";

import type { OpenedDialog } from "./factor-dialogs.tsx";
import type { Factors, Passkey } from "./queries.ts";

// Loaded on demand: most visits never open these dialogs.
const FactorDialog = onDemand(() =>
  import("./factor-dialogs.tsx").then((module) => module.FactorDialog),
);

type TwoFactorProps = { email: string; factors: Factors; canSkipPassword?: boolean };

/** @param canSkipPassword whether a passkey also signs in without the password */
export function TwoFactor({ email, factors, canSkipPassword = false }: TwoFactorProps) {
  const text = useTexts();
  const [dialog, setDialog] = useState<OpenedDialog | null>(null);
  const isOn = factors.totp || factors.passkeys.length > 0;
  return (
    <Panel
      title={text("twoFactor")}
      aside={
        isOn ? (
          <Status tone="done" label={text("on")} />
        ) : (
          <Status tone={factors.isRequired ? "waiting" : "none"} label={text("off")} />
        )
      }
    >
      <Text c="dimmed" mb="md" maw={640}>
        {text("twoFactor.text")}
      </Text>
      <ItemList label={text("factors")}>
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
  const text = useTexts();
  const add = () => onOpen({ kind: "add_totp" });
  return (
    <ItemRow
      title={text("totp")}
      actions={
        factors.totp ? (
          <Group gap="xs">
            <Status tone="done" label={text("totp.ready")} />
            <Button variant="default" onClick={() => onOpen({ kind: "remove_totp" })}>
              {text("remove")}
            </Button>
          </Group>
        ) : (
          <Button variant="default" onClick={add}>
            {text("totp.setUp")}
          </Button>
        )
      }
    >
      {text("totp.text")}
    </ItemRow>
  );
}

type PasskeysRowProps = OpenDialog & { factors: Factors; canSkipPassword: boolean };

function PasskeysRow({ factors, canSkipPassword, onOpen }: PasskeysRowProps) {
  const text = useTexts();
  const alone = canSkipPassword ? text("passkeys.alone") : "";
  return (
    <ItemRow
      title={text("passkeys")}
      actions={
        factors.passkeysPossible && (
          <Button variant="default" onClick={() => onOpen({ kind: "add_passkey" })}>
            {text("passkey.add")}
          </Button>
        )
      }
    >
      {factors.passkeysPossible ? `${text("passkeys.text")}${alone}` : text("passkeys.impossible")}
    </ItemRow>
  );
}

function PasskeyRow({ passkey, onOpen }: OpenDialog & { passkey: Passkey }) {
  const text = useTexts();
  const { name } = passkey;
  const added = <RelativeTime at={passkey.createdAt} />;
  return (
    <ItemRow
      title={name}
      actions={
        <Group gap="xs">
          <Button
            variant="default"
            aria-label={text("rename.name", { name })}
            onClick={() => onOpen({ kind: "rename", passkey })}
          >
            {text("rename")}
          </Button>
          <Button
            variant="default"
            aria-label={text("remove.name", { name })}
            onClick={() => onOpen({ kind: "remove_passkey", passkey })}
          >
            {text("remove")}
          </Button>
        </Group>
      }
    >
      {passkey.lastUsedAt === null ? (
        <RichText id="passkey.unused" values={{ added }} />
      ) : (
        <RichText
          id="passkey.used"
          values={{ added, used: <RelativeTime at={passkey.lastUsedAt} /> }}
        />
      )}
    </ItemRow>
  );
}

const LOW_RECOVERY_CODES = 3;

function RecoveryCodesRow({ left, onOpen }: OpenDialog & { left: number }) {
  const text = useTexts();
  return (
    <ItemRow
      title={text("recovery")}
      actions={
        <Group gap="xs">
          {left <= LOW_RECOVERY_CODES && (
            <Status tone="waiting" label={text(left === 0 ? "recovery.none" : "recovery.few")} />
          )}
          <Button variant="default" onClick={() => onOpen({ kind: "new_codes" })}>
            {text("recovery.new")}
          </Button>
        </Group>
      }
    >
      {text("recovery.left", { left })}
    </ItemRow>
  );
}
