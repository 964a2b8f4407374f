import { TextInput } from "@mantine/core";

import { useChange } from "#app/console/ui/actions.tsx";
import { firstProblem, looksLikeAddress, required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";

import { GrantFields, grantsSomething } from "./invitation-fields.tsx";
import { InvitationLinkDialog } from "./invitations.tsx";
import { CHANGES_TEAM } from "./queries.ts";

const NONE = { email: "", name: "", isOwner: false, roles: [] as string[] };

const useInvitation = () => useChange("invitations.invite", CHANGES_TEAM);

/** Sends an invitation, then shows its link. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useInvitation();
  if (invite.answer && invite.variables)
    return (
      <InvitationLinkDialog
        email={invite.variables.body.email}
        link={invite.answer.link}
        onStored={onClose}
      />
    );
  return (
    <Modal opened onClose={onClose} title="Invite admin" size="lg">
      <InviteForm invite={invite} onClose={onClose} />
    </Modal>
  );
}

type InviteFormProps = { invite: ReturnType<typeof useInvitation>; onClose: () => void };

function InviteForm({ invite, onClose }: InviteFormProps) {
  const form = useForm({
    initialValues: NONE,
    labels: { email: "Email address", name: "Name", roles: "Roles:" },
    checks: { email: firstProblem(required, looksLikeAddress), roles: grantsSomething },
    draft: "invitation",
    send: ({ email, name, isOwner, roles }) =>
      invite.run({
        body: { email: email.toLowerCase(), name, isOwner, roleIds: isOwner ? [] : roles },
      }),
  });
  return (
    <Form form={form} submit="Send invitation" onClose={onClose}>
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
      <GrantFields form={form} />
    </Form>
  );
}
