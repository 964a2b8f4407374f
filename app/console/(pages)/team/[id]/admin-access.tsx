"use client";

import { Stack, Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { pluralize, displayName } from "#app/console/(pages)/team/admin-text.ts";
import {
  type AdminDetail,
  useRemoveAdmin,
  useSwitchAccess,
} from "#app/console/(pages)/team/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";
import { toast } from "#app/console/ui/toast.ts";

import { AdminKeyList } from "./admin-keys.tsx";

/** Shutting somebody out: for a while, or for good. */
export function AdminAccess({ person }: { person: AdminDetail }) {
  return (
    <>
      {person.is_disabled ? <TurnOnAccess person={person} /> : <TurnOffAccess person={person} />}
      <RemoveAdmin person={person} />
    </>
  );
}

function TurnOffAccess({ person }: { person: AdminDetail }) {
  const [isAsked, setIsAsked] = useState(false);
  const access = useSwitchAccess(person.id);
  const keys = pluralize(person.keys.length, "API key");
  const name = displayName(person);
  return (
    <>
      <DangerZone title="Switch access off" verb="Switch off" onAct={() => setIsAsked(true)}>
        {name} is signed out at once and cannot come back until it is switched on again.{" "}
        {person.keys.length > 0 && `For as long, ${keys} they made will be refused.`}
      </DangerZone>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Switch off the access of ${name}`}
        verb="Switch off"
        isPending={access.isPending}
        error={access.error}
        onConfirm={() =>
          access.mutate(false, {
            onSuccess() {
              setIsAsked(false);
              toast(`The access of ${name} is off`, { undo: () => access.mutate(true) });
            },
          })
        }
      >
        <Stack gap="xs">
          <Text>
            {person.sessions === 0
              ? "They are not signed in at the moment, and cannot sign in from now on."
              : `${pluralize(person.sessions, "session")} will end at once.`}
          </Text>
          {person.keys.length > 0 && (
            <>
              <Text>
                {pluralize(person.keys.length, "API key")} they made will be refused. Emails that
                these have scheduled are canceled when they come due while the access is off:
              </Text>
              <AdminKeyList keys={person.keys} />
            </>
          )}
        </Stack>
      </ConfirmDialog>
    </>
  );
}

function TurnOnAccess({ person }: { person: AdminDetail }) {
  const access = useSwitchAccess(person.id);
  const name = displayName(person);
  return (
    <DangerZone
      title="Access is switched off"
      verb="Switch on"
      onAct={() =>
        access.mutate(true, {
          onSuccess: () =>
            toast(`The access of ${name} is on`, { undo: () => access.mutate(false) }),
          onError: (error) => toast(error.message),
        })
      }
    >
      {name} cannot sign in, and the API keys they made are refused. Switching it on gives both
      back.
    </DangerZone>
  );
}

function RemoveAdmin({ person }: { person: AdminDetail }) {
  const router = useRouter();
  const [isAsked, setIsAsked] = useState(false);
  const removal = useRemoveAdmin(person.id);
  const { keys, email } = person;
  const scheduled = keys.reduce((sum, key) => sum + key.scheduled_emails, 0);
  return (
    <>
      <DangerZone title="Remove from the company" verb="Remove" onAct={() => setIsAsked(true)}>
        {keys.length === 0
          ? "They made no API key that is active."
          : `${pluralize(keys.length, "API key")} they made will be revoked for good, with the emails they have scheduled.`}
      </DangerZone>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Remove ${displayName(person)} from the company`}
        verb="Remove"
        name={email}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() =>
          removal.mutate(undefined, {
            onSuccess({ revoked_keys }) {
              toast(
                `${displayName(person)} is removed, ${pluralize(revoked_keys, "API key")} revoked`,
              );
              router.replace("/console/team");
            },
          })
        }
      >
        <Stack gap="xs">
          <Text>
            They are signed out at once. It cannot be undone, but they can be invited again.
          </Text>
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
