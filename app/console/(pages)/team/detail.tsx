"use client";

import { Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { change } from "#app/console/console-client.ts";
import { usePrivileges } from "#app/console/session.ts";
import { toast, useAction, useChange } from "#app/console/ui/actions.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { DangerousAction } from "#app/console/ui/dialog.tsx";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { DangerZone, Panel, SideBySide } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";

import { accessStatus, displayName } from "./labels.ts";
import {
  AdminKeyList,
  AdminKeys,
  AdminPrivileges,
  AdminRoles,
  MailboxPrivileges,
} from "./privileges.tsx";
import { type AdminDetail, adminQuery, CHANGES_TEAM } from "./queries.ts";

export function AdminDetails({ id }: { id: string }) {
  const admin = useQuery(adminQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Team", href: "/console/team" }]} />
      <QueryView query={admin} noun="this admin" skeleton={<AdminSkeleton />} titleOrder={1}>
        {(admin) => (
          <>
            <PageHeader
              documentTitle={`${displayName(admin)} · Team`}
              title={displayName(admin)}
              help="roles"
              description={<Status {...accessStatus(admin)} />}
            />
            <SideBySide side={<AdminSidebar admin={admin} />}>
              <AdminSections admin={admin} />
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

/** Only owners can edit owners. */
function useCanEdit(admin: AdminDetail): boolean {
  const { isOwner } = usePrivileges();
  return !admin.isOwner || isOwner;
}

function AdminSidebar({ admin }: { admin: AdminDetail }) {
  const canEdit = useCanEdit(admin);
  return (
    <>
      <AdminFacts admin={admin} />
      {canEdit && <AdminRoles admin={admin} />}
      <AdminKeys admin={admin} />
    </>
  );
}

function AdminSections({ admin }: { admin: AdminDetail }) {
  const { has } = usePrivileges();
  const canEdit = useCanEdit(admin);
  return (
    <Stack gap="md">
      <AdminPrivileges admin={admin} />
      {has("view_users") && <MailboxPrivileges admin={admin} />}
      {canEdit && !admin.isSelf && <AdminAccess admin={admin} />}
    </Stack>
  );
}

const AdminSkeleton = () => (
  <Stack gap="md">
    <Skeleton height={34} width={240} />
    <Skeleton height={220} />
    <Skeleton height={420} />
  </Stack>
);

const AdminFacts = ({ admin }: { admin: AdminDetail }) => (
  <Panel title="Details">
    <DescriptionList
      items={{
        Name: <AdminName admin={admin} />,
        "Email address": (
          <>
            <CopyableValue value={admin.email} label="address" />
            {!admin.isAddressConfirmed && (
              <Text size="sm" c="dimmed">
                Unconfirmed: they joined with a copied link. They can confirm it by resetting their
                password on the sign-in page.
              </Text>
            )}
          </>
        ),
        "Second factor": admin.hasSecondFactor ? (
          <Status tone="done" label="On" />
        ) : (
          <Status tone="none" label="Off" />
        ),
        "Last seen": admin.lastSeenAt ? <RelativeTime at={admin.lastSeenAt} /> : "Never",
        Sessions: admin.sessions === 0 ? "None" : admin.sessions,
        Joined: <ExactTime at={admin.createdAt} />,
      }}
    />
  </Panel>
);

function AdminName({ admin }: { admin: AdminDetail }) {
  const { isOwner } = usePrivileges();
  const [isEditing, setIsEditing] = useState(false);
  if (isEditing) return <AdminNameForm admin={admin} onClose={() => setIsEditing(false)} />;
  return (
    <Group gap="xs">
      <span>{admin.name || "None"}</span>
      {(!admin.isOwner || isOwner) && (
        <Button size="compact-xs" variant="default" onClick={() => setIsEditing(true)}>
          Edit name
        </Button>
      )}
    </Group>
  );
}

function AdminNameForm({ admin, onClose }: { admin: AdminDetail; onClose: () => void }) {
  const update = useChange("team.update", CHANGES_TEAM);
  const rename = useAction({
    call: (name: string) => update.run({ params: { id: admin.id }, body: { name } }),
    success: "Name saved",
    undo: () => update.run({ params: { id: admin.id }, body: { name: admin.name } }),
  });
  const form = useForm({
    initialValues: { name: admin.name },
    labels: { name: "Name" },
    draft: null,
    send: ({ name }) => rename.run(name),
    onDone: onClose,
  });
  return (
    <Form
      form={form}
      gap="xs"
      actions={
        <Group gap="xs">
          <SubmitButton form={form} size="xs">
            Save name
          </SubmitButton>
          <Button size="xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      }
    >
      <TextInput
        {...form.field("name")}
        label={undefined}
        aria-label="Name"
        size="sm"
        autoComplete="off"
        autoFocus
      />
    </Form>
  );
}

const AdminAccess = ({ admin }: { admin: AdminDetail }) => (
  <>
    {admin.isDisabled ? <TurnOnAccess admin={admin} /> : <TurnOffAccess admin={admin} />}
    <RemoveAdmin admin={admin} />
  </>
);

function TurnOffAccess({ admin }: { admin: AdminDetail }) {
  const turnOff = useSwitchAccess(admin, false);
  const keys = pluralize(admin.keys.length, "API key");
  const name = displayName(admin);
  return (
    <DangerousAction
      title="Turn off access"
      action="Turn off access"
      description={
        <>
          {name} will be signed out and can’t sign in until you turn access on again.{" "}
          {admin.keys.length > 0 && `Until then, the ${keys} they created will be rejected.`}
        </>
      }
      question={`Turn off access for ${name}?`}
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
    </DangerousAction>
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
  const removal = useChange("team.remove", {
    // Not the removed admin: their page is about to close and would show an error.
    invalidates: ["team.list", "invitations", "roles"],
    waits: true,
  });
  const { keys, email } = admin;
  const scheduled = keys.reduce((sum, key) => sum + key.scheduledEmails, 0);
  return (
    <DangerousAction
      title="Remove this admin"
      action="Remove admin"
      description={
        keys.length === 0
          ? "They have no active API keys."
          : `${pluralize(keys.length, "API key")} they created will be permanently revoked, and emails scheduled with them canceled.`
      }
      question={`Remove ${displayName(admin)} from the company?`}
      typeToConfirm={email}
      leavesPage
      onConfirm={async () => {
        const { revokedKeys } = await removal.run({ params: { id: admin.id } });
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
    </DangerousAction>
  );
}

function useSwitchAccess(admin: AdminDetail, on: boolean) {
  const params = { id: admin.id };
  const turn = (on: boolean) => change("team.switchAccess", { params, body: { on } });
  return useAction({
    call: () => turn(on),
    invalidates: CHANGES_TEAM.invalidates,
    success: `Access turned ${on ? "on" : "off"} for ${displayName(admin)}`,
    undo: () => turn(!on),
  });
}
