"use client";

import { Stack, Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { pluralize } from "#app/console/ui/format.ts";
import { displayName } from "#app/console/(pages)/team/admin-text.ts";
import {
  type AdminDetail,
  useRemoveAdmin,
  useSwitchAccess,
} from "#app/console/(pages)/team/queries.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DangerZone } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { AdminKeyList } from "./admin-keys.tsx";

export function AdminAccess({ admin }: { admin: AdminDetail }) {
  return (
    <>
      {admin.isDisabled ? <TurnOnAccess admin={admin} /> : <TurnOffAccess admin={admin} />}
      <RemoveAdmin admin={admin} />
    </>
  );
}

function TurnOffAccess({ admin }: { admin: AdminDetail }) {
  const [isConfirming, setIsConfirming] = useState(false);
  const turnOff = useSwitchAccess(admin, false);
  const keys = pluralize(admin.keys.length, "API key");
  const name = displayName(admin);
  return (
    <>
      <DangerZone
        title="Turn off access"
        actionLabel="Turn off access"
        onAction={() => setIsConfirming(true)}
      >
        {name} will be signed out and can’t sign in until you turn access on again.{" "}
        {admin.keys.length > 0 && `Until then, the ${keys} they created will be rejected.`}
      </DangerZone>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Turn off access for ${name}?`}
        confirmLabel="Turn off access"
        onConfirm={() => turnOff.run()}
      >
        <Stack gap="xs">
          <Text>
            {admin.sessions === 0
              ? "They aren’t signed in now, and won’t be able to sign in."
              : `${pluralize(admin.sessions, "session")} will end.`}
          </Text>
          {admin.keys.length > 0 && (
            <>
              <Text>
                {pluralize(admin.keys.length, "API key")} they created will be rejected. Emails
                scheduled with them are canceled if they come due while access is off:
              </Text>
              <AdminKeyList keys={admin.keys} />
            </>
          )}
        </Stack>
      </ConfirmDialog>
    </>
  );
}

function TurnOnAccess({ admin }: { admin: AdminDetail }) {
  const turnOn = useSwitchAccess(admin, true);
  const name = displayName(admin);
  return (
    <DangerZone title="Access is off" actionLabel="Turn on access" onAction={() => turnOn.start()}>
      {name} can’t sign in, and the API keys they created are rejected. Turn on access to allow both
      again.
    </DangerZone>
  );
}

function RemoveAdmin({ admin }: { admin: AdminDetail }) {
  const router = useRouter();
  const [isConfirming, setIsConfirming] = useState(false);
  const removal = useRemoveAdmin(admin.id);
  const { keys, email } = admin;
  const scheduled = keys.reduce((sum, key) => sum + key.scheduledEmails, 0);
  return (
    <>
      <DangerZone
        title="Remove this admin"
        actionLabel="Remove admin"
        onAction={() => setIsConfirming(true)}
      >
        {keys.length === 0
          ? "They have no active API keys."
          : `${pluralize(keys.length, "API key")} they created will be permanently revoked, and emails scheduled with them canceled.`}
      </DangerZone>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Remove ${displayName(admin)} from the company?`}
        confirmLabel="Remove admin"
        typeToConfirm={email}
        leavesPage
        onConfirm={async () => {
          const { revokedKeys } = await removal.mutateAsync();
          toast(`${displayName(admin)} removed, ${pluralize(revokedKeys, "API key")} revoked`);
          router.replace("/console/team");
        }}
      >
        <Stack gap="xs">
          <Text>They’ll be signed out. You can’t undo this, but you can invite them again.</Text>
          {keys.length > 0 && (
            <>
              <Text>
                {pluralize(keys.length, "API key")} will be revoked
                {scheduled > 0 && `, and ${pluralize(scheduled, "scheduled email")} canceled`}:
              </Text>
              <AdminKeyList keys={keys} />
            </>
          )}
        </Stack>
      </ConfirmDialog>
    </>
  );
}
