import { Checkbox } from "@mantine/core";

import { usePrivileges } from "#app/console/session.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { FormDialog } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { CHANGES_TEAM, type InvitationRow } from "./queries.ts";
import { RoleChoice } from "./role-choice.tsx";
import roleClasses from "./team.module.css";

type Grant = { isOwner: boolean; roles: string[] };

/** Someone without a role would see an empty console. */
export const grantsSomething = (roles: string[], { isOwner }: Grant) =>
  isOwner || roles.length > 0
    ? null
    : "choose at least one. Without a role, they can sign in but see nothing";

type GrantFieldsProps = {
  assigned?: string[];
  form: {
    values: Grant;
    errors: Record<string, string>;
    set: (...field: ["isOwner", boolean] | ["roles", string[]]) => void;
  };
};

/**
 * What an invitation grants: everything, or roles.
 *
 * @param assigned IDs of the roles that the invitation already grants
 */
export function GrantFields({ form, assigned = [] }: GrantFieldsProps) {
  const { isOwner: mayMakeOwners } = usePrivileges();
  const { isOwner } = form.values;
  return (
    <>
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
        <RoleChoice
          value={form.values.roles}
          assigned={assigned}
          onChange={(chosen) => form.set("roles", chosen)}
          error={form.errors["roles"] ?? null}
        />
      )}
    </>
  );
}

/** Changes what a pending invitation grants. The link in the email keeps working. */
export function EditInvitationDialog({
  invitation: { id, email, isOwner, roles },
  onClose,
}: {
  invitation: InvitationRow;
  onClose: () => void;
}) {
  const update = useChange("invitations.update", CHANGES_TEAM);
  const assigned = roles.map((role) => role.id);
  const form = useForm({
    initialValues: { isOwner, roles: assigned },
    labels: { roles: "Roles:" },
    checks: { roles: grantsSomething },
    draft: `invitation ${id}`,
    send: ({ isOwner, roles }) =>
      update.run({ params: { id }, body: { isOwner, roleIds: isOwner ? [] : roles } }),
    onDone: () => {
      toast(`Invitation to ${email} saved`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Invitation to ${email}`}
      size="lg"
      submit="Save invitation"
      onClose={onClose}
    >
      <GrantFields form={form} assigned={assigned} />
    </FormDialog>
  );
}
