import { Button, Stack, Text } from "@mantine/core";
import { useRead } from "#app/console/endpoint-queries.ts";
import { type ReactNode, useState } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { ConfirmedButton, SecretDialog } from "#app/console/ui/dialog.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { CHANGES_TEAM, TEAM_SETTINGS, type InvitationRow } from "./queries.ts";
import classes from "./team.module.css";

const EditInvitationDialog = onDemand(() =>
  import("./invitation-fields.tsx").then((module) => module.EditInvitationDialog),
);

/** Pending invitations. Renders nothing if there are none. */
export function Invitations() {
  const invitations = useRead("invitations.list", {}, TEAM_SETTINGS);
  if (!invitations.error && !invitations.data?.data.length) return null;
  return (
    <Panel title="Pending invitations">
      <QueryView query={invitations} noun="the invitations" skeleton={null}>
        {({ data }) => (
          <ul className={classes.list}>
            {data.map((invitation) => (
              <PendingInvitation key={invitation.id} invitation={invitation} />
            ))}
          </ul>
        )}
      </QueryView>
    </Panel>
  );
}

function PendingInvitation({ invitation }: { invitation: InvitationRow }) {
  const { email, isExpired } = invitation;
  const resend = useChange("invitations.resend", CHANGES_TEAM);
  const withdraw = useChange("invitations.withdraw", CHANGES_TEAM);
  const { isOwner: mayChangeOwners } = usePrivileges();
  const [isEditing, setIsEditing] = useState(false);
  return (
    <li className={classes.invitation}>
      <div className={classes.words}>
        <div className={classes.email}>{email}</div>
        <Text size="sm" c="dimmed" component="div">
          {grantedRoles(invitation)} · invited by {invitation.invitedBy}
        </Text>
      </div>
      <div className={classes.state}>
        {isExpired ? (
          <Status tone="failed" label="Expired" />
        ) : (
          <>
            <Status tone="waiting" label="Pending" />
            <Text size="sm" c="dimmed" component="span">
              expires <RelativeTime at={invitation.expiresAt} />
            </Text>
          </>
        )}
      </div>
      <div className={classes.acts}>
        <Button
          variant="default"
          aria-label={`Resend invitation to ${email}`}
          aria-busy={resend.isPending}
          onClick={() => resend.start({ params: { id: invitation.id } })}
        >
          Resend
        </Button>
        {(mayChangeOwners || !invitation.isOwner) && (
          <Button
            variant="default"
            aria-label={`Edit invitation to ${email}`}
            onClick={() => setIsEditing(true)}
          >
            Edit
          </Button>
        )}
        <ConfirmedButton
          label="Withdraw"
          name={`Withdraw invitation to ${email}`}
          title={`Withdraw invitation to ${email}?`}
          confirmLabel="Withdraw invitation"
          onConfirm={async () => {
            await withdraw.run({ params: { id: invitation.id } });
            toast(`Invitation to ${email} withdrawn`);
          }}
        >
          The link in their email will stop working. You can invite them again later.
        </ConfirmedButton>
      </div>
      {isEditing && (
        <EditInvitationDialog invitation={invitation} onClose={() => setIsEditing(false)} />
      )}
      {resend.answer && (
        <InvitationLinkDialog email={email} link={resend.answer.link} onStored={resend.reset}>
          The previous link no longer works.
        </InvitationLinkDialog>
      )}
    </li>
  );
}

function grantedRoles({ isOwner, roles }: InvitationRow): string {
  if (isOwner) return "Owner";
  return roles.length === 0 ? "No role" : roles.map(({ name }) => name).join(", ");
}

/** Shows a new invitation's link, because email may not arrive on a new server. */
export const InvitationLinkDialog = ({
  email,
  link,
  onStored,
  children,
}: {
  email: string;
  link: string;
  onStored: () => void;
  children?: ReactNode;
}) => (
  <SecretDialog
    title="Invitation sent"
    secret={link}
    fileName="posthouse-invitation.txt"
    onStored={onStored}
  >
    <Stack gap="xs">
      <Text>
        We emailed a link to {email}. If it doesn’t arrive, send them this link yourself. It works
        once and expires in seven days. You won’t be able to see it again.
      </Text>
      <Text c="dimmed" size="sm">
        Anyone with this link can join as {email}. Their address stays unconfirmed if they use it,
        because only the emailed link proves that the address is theirs. {children}
      </Text>
    </Stack>
  </SecretDialog>
);
