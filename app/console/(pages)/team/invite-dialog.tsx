"use client";

import { Checkbox, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { usePrivileges } from "#app/console/session.ts";
import { firstProblem, isEmail, required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { InvitationLinkDialog } from "./invitation-link-dialog.tsx";
import { useInvite } from "./queries.ts";
import roleClasses from "./role-choice.module.css";
import { RoleChoice } from "./role-choice.tsx";
import { rolesQuery } from "./role-queries.ts";

const NONE = { email: "", name: "", isOwner: false, roles: [] as string[] };

/** Sends an invitation, then shows its link. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useInvite();
  if (invite.data)
    return (
      <InvitationLinkDialog
        email={invite.variables.email}
        link={invite.data.link}
        onStored={onClose}
      />
    );
  return (
    <Modal opened onClose={onClose} title="Invite admin" size="lg">
      <InviteForm invite={invite} onClose={onClose} />
    </Modal>
  );
}

function InviteForm({
  invite,
  onClose,
}: {
  invite: ReturnType<typeof useInvite>;
  onClose: () => void;
}) {
  const { isOwner: mayMakeOwners } = usePrivileges();
  const roles = useQuery(rolesQuery);
  const form = useForm({
    initialValues: NONE,
    labels: { email: "Email address", name: "Name", roles: "Roles:" },
    checks: { email: firstProblem(required, isEmail) },
    draft: "invitation",
    send: ({ email, name, isOwner, roles }) =>
      invite.mutateAsync({
        email: email.toLowerCase(),
        name,
        isOwner,
        roleIds: isOwner ? [] : roles,
      }),
  });
  const { isOwner } = form.values;

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Send invitation
        </DialogActions>
      }
    >
      <TextInput
        {...form.field("email")}
        description="We’ll email them a link that works for seven days."
        type="email"
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        {...form.field("name")}
        label="Name (optional)"
        description="If you leave this empty, they enter their name when they join."
        autoComplete="off"
      />
      {mayMakeOwners && (
        <Checkbox
          label="Owner"
          classNames={{ description: roleClasses.description }}
          description="Can do everything, including deleting domains and mailboxes and managing owners."
          checked={isOwner}
          onChange={(event) => form.set("isOwner", event.currentTarget.checked)}
        />
      )}
      {!isOwner && (
        <QueryView query={roles} noun="the roles" skeleton={null}>
          {({ data }) => (
            <RoleChoice
              roles={data}
              value={form.values.roles}
              onChange={(roles) => form.set("roles", roles)}
              error={form.errors["roles"] ?? null}
            />
          )}
        </QueryView>
      )}
    </Form>
  );
}
