"use client";

import { Button, Group, Text } from "@mantine/core";
import dynamic from "next/dynamic";
import { useState } from "react";

import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Row, Rows } from "#app/console/ui/rows.tsx";
import { Status } from "#app/console/ui/status.tsx";

import type { Factors, Passkey, You } from "./queries.ts";

// Opened seldom.
const AddTotp = dynamic(() => import("./add-totp.tsx").then((module) => module.AddTotp));
const AddPasskey = dynamic(() => import("./add-passkey.tsx").then((module) => module.AddPasskey));
const RenamePasskey = dynamic(() =>
  import("./rename-passkey.tsx").then((module) => module.RenamePasskey),
);
const RemoveFactor = dynamic(() =>
  import("./remove-factor.tsx").then((module) => module.RemoveFactor),
);
const NewCodes = dynamic(() => import("./new-codes.tsx").then((module) => module.NewCodes));

type Dialog =
  | { kind: "add_totp" | "add_passkey" | "new_codes" | "remove_totp" }
  | { kind: "rename" | "remove_passkey"; passkey: Passkey };

/** What is asked for beside the password, and its set-up. */
export function SecondFactor({ you }: { you: You }) {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const factors = you.second_factor;
  const hasOne = factors.totp || factors.passkeys.length > 0;
  return (
    <Panel
      title="Second factor"
      aside={
        hasOne ? (
          <Status meaning="done" word="On" />
        ) : (
          <Status meaning={factors.is_required ? "waiting" : "none"} word="Off" />
        )
      }
    >
      <Text c="dimmed" mb="md" maw={640}>
        A password can be guessed, or found by somebody. With a second factor it is not enough to
        sign in as you.
      </Text>
      <Rows label="Second factors">
        <App factors={factors} onOpen={setDialog} />
        <Passkeys factors={factors} onOpen={setDialog} />
        {factors.passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} onOpen={setDialog} />
        ))}
        {hasOne && <Codes left={factors.recovery_codes_left} onOpen={setDialog} />}
      </Rows>
      {dialog && <Open dialog={dialog} you={you} onClose={() => setDialog(null)} />}
    </Panel>
  );
}

type Openable = { onOpen: (dialog: Dialog) => void };

function App({ factors, onOpen }: Openable & { factors: Factors }) {
  const add = () => onOpen({ kind: "add_totp" });
  return (
    <Row
      title="Authenticator app"
      actions={
        factors.totp ? (
          <Group gap="xs">
            <Status meaning="done" word="Set up" />
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
      A code of six digits from your telephone, such as from Google Authenticator, 2FAS or
      1Password.
    </Row>
  );
}

function Passkeys({ factors, onOpen }: Openable & { factors: Factors }) {
  return (
    <Row
      title="Passkeys"
      actions={
        factors.passkeys_possible && (
          <Button variant="default" onClick={() => onOpen({ kind: "add_passkey" })}>
            Add passkey
          </Button>
        )
      }
    >
      {factors.passkeys_possible
        ? "Your finger, face or PIN on a device, or a security key. A passkey also signs you in without the password."
        : "Browsers offer passkeys only where the console has a name and https."}
    </Row>
  );
}

function PasskeyRow({ passkey, onOpen }: Openable & { passkey: Passkey }) {
  return (
    <Row
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
      Passkey, added <RelativeMoment at={passkey.created_at} />
      {passkey.last_used_at === null ? (
        ", not used yet"
      ) : (
        <>
          , last used <RelativeMoment at={passkey.last_used_at} />
        </>
      )}
    </Row>
  );
}

const FEW = 3;

function Codes({ left, onOpen }: Openable & { left: number }) {
  return (
    <Row
      title="Recovery codes"
      actions={
        <Group gap="xs">
          {left <= FEW && <Status meaning="waiting" word={left === 0 ? "None left" : "Few left"} />}
          <Button variant="default" onClick={() => onOpen({ kind: "new_codes" })}>
            Make new ones
          </Button>
        </Group>
      }
    >
      {left} of 10 left, for the day when your devices are lost. Each works once.
    </Row>
  );
}

function Open({ dialog, you, onClose }: { dialog: Dialog; you: You; onClose: () => void }) {
  const factors = you.second_factor;
  switch (dialog.kind) {
    case "add_totp":
      return <AddTotp email={you.email} onClose={onClose} />;
    case "add_passkey":
      return <AddPasskey email={you.email} onClose={onClose} />;
    case "new_codes":
      return <NewCodes factors={factors} onClose={onClose} />;
    case "rename":
      return <RenamePasskey passkey={dialog.passkey} onClose={onClose} />;
    case "remove_totp":
      return <RemoveFactor factors={factors} passkey={null} onClose={onClose} />;
    case "remove_passkey":
      return <RemoveFactor factors={factors} passkey={dialog.passkey} onClose={onClose} />;
  }
}
