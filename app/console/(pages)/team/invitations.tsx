"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { toast } from "#app/console/ui/toast.ts";

import classes from "./invitations.module.css";
import { InvitationLinkDialog } from "./invitation-link-dialog.tsx";
import {
  type InvitationRow,
  invitationsQuery,
  useResendInvitation,
  useWithdrawInvitation,
} from "./queries.ts";

/** Who was asked and has not come yet. Nothing at all while nobody is. */
export function Invitations() {
  const { data } = useQuery(invitationsQuery);
  if (!data || data.data.length === 0) return null;
  return (
    <Panel title="Invited">
      <ul className={classes.list}>
        {data.data.map((invitation) => (
          <PendingInvitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Panel>
  );
}

function PendingInvitation({ invitation }: { invitation: InvitationRow }) {
  const { email, is_expired } = invitation;
  const [isWithdrawing, setIsWithdrawing] = useState(false);
  const resend = useResendInvitation();
  const withdraw = useWithdrawInvitation();
  return (
    <li className={classes.invitation}>
      <div className={classes.words}>
        <div className={classes.email}>{email}</div>
        <Text size="sm" c="dimmed" component="div">
          {grantedRoles(invitation)} · asked by {invitation.invited_by}
        </Text>
        <FormProblem error={resend.error} />
      </div>
      <div className={classes.state}>
        {is_expired ? (
          <Status meaning="failed" word="Expired" />
        ) : (
          <>
            <Status meaning="waiting" word="Waiting" />
            <Text size="sm" c="dimmed" component="span">
              ends <RelativeMoment at={invitation.expires_at} />
            </Text>
          </>
        )}
      </div>
      <div className={classes.acts}>
        <Button
          variant="default"
          aria-label={`Send the invitation of ${email} again`}
          data-loading={resend.isPending || undefined}
          onClick={() => !resend.isPending && resend.mutate(invitation.id)}
        >
          Send again
        </Button>
        <Button
          variant="default"
          aria-label={`Withdraw the invitation of ${email}`}
          onClick={() => setIsWithdrawing(true)}
        >
          Withdraw
        </Button>
      </div>
      {resend.data && (
        <InvitationLinkDialog email={email} link={resend.data.link} onStored={() => resend.reset()}>
          The former link leads nowhere from now on.
        </InvitationLinkDialog>
      )}
      <ConfirmDialog
        isOpen={isWithdrawing}
        onClose={() => setIsWithdrawing(false)}
        title={`Withdraw the invitation of ${email}`}
        verb="Withdraw"
        isPending={withdraw.isPending}
        error={withdraw.error}
        onConfirm={() =>
          withdraw.mutate(invitation.id, {
            onSuccess: () => toast(`The invitation of ${email} is withdrawn`),
          })
        }
      >
        The link in their email leads nowhere from then on. You can invite them again.
      </ConfirmDialog>
    </li>
  );
}

function grantedRoles({ is_owner, roles }: InvitationRow): string {
  if (is_owner) return "As an owner";
  return roles.length === 0 ? "Without a role" : roles.join(", ");
}
