"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import classes from "./invitations.module.css";
import { InvitationLinkDialog } from "./invitation-link-dialog.tsx";
import {
  type InvitationRow,
  invitationsQuery,
  useResendInvitation,
  useWithdrawInvitation,
} from "./queries.ts";

/** Pending invitations. Renders nothing if there are none. */
export function Invitations() {
  const invitations = useQuery(invitationsQuery);
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
  const resend = useResendInvitation();
  const withdraw = useWithdrawInvitation();
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
          onClick={() => resend.start(invitation.id)}
        >
          Resend
        </Button>
        <ConfirmedButton
          label="Withdraw"
          name={`Withdraw invitation to ${email}`}
          title={`Withdraw invitation to ${email}?`}
          confirmLabel="Withdraw invitation"
          onConfirm={async () => {
            await withdraw.mutateAsync(invitation.id);
            toast(`Invitation to ${email} withdrawn`);
          }}
        >
          The link in their email will stop working. You can invite them again later.
        </ConfirmedButton>
      </div>
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
  return roles.length === 0 ? "No role" : roles.join(", ");
}
