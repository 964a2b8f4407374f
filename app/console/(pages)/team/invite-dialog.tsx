"use client";

import { Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { usePrivileges } from "#app/console/privileges.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { InvitationLinkDialog } from "./invitation-link-dialog.tsx";
import { useInvite } from "./queries.ts";
import roleClasses from "./role-choice.module.css";
import { RoleChoice } from "./role-choice.tsx";
import { rolesQuery } from "./role-queries.ts";

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
  const [roleIds, setRoleIds] = useState<string[]>([]);
  const [isOwner, setIsOwner] = useState(false);
  const problems = {
    email: fieldError(invite.error, "email", "Email address"),
    name: fieldError(invite.error, "name", "Name"),
    roles: fieldError(invite.error, "roles", "Roles:"),
  };

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (invite.isPending) return;
    const form = new FormData(event.currentTarget);
    invite.mutate({
      email: formText(form, "email").trim().toLowerCase(),
      name: formText(form, "name"),
      is_owner: isOwner,
      role_ids: isOwner ? [] : roleIds,
    });
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="md">
        <TextInput
          name="email"
          label="Email address"
          description="We’ll email them a link that works for seven days."
          type="email"
          autoComplete="off"
          data-autofocus
          error={problems.email}
        />
        <TextInput
          name="name"
          label="Name (optional)"
          description="If you leave this empty, they enter their name when they join."
          autoComplete="off"
          error={problems.name}
        />
        {mayMakeOwners && (
          <Checkbox
            label="Owner"
            classNames={{ description: roleClasses.description }}
            description="Can do everything, including deleting domains and mailboxes and managing owners."
            checked={isOwner}
            onChange={(event) => setIsOwner(event.currentTarget.checked)}
          />
        )}
        {!isOwner && (
          <QueryView query={roles} noun="the roles" skeleton={null}>
            {({ data }) => (
              <RoleChoice
                roles={data}
                value={roleIds}
                onChange={setRoleIds}
                error={problems.roles}
              />
            )}
          </QueryView>
        )}
        {Object.values(problems).every((problem) => problem === null) && (
          <FormError error={invite.error} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" aria-busy={invite.isPending}>
            Send invitation
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
