"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import {
  type CompanyDetail,
  useUpdateCompany,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { pluralize } from "#app/console/(pages)/operate/plan-limits.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/toast.ts";

/** The switch that shuts everybody of a company out. */
export function CompanySuspension({ company }: { company: CompanyDetail }) {
  if (company.suspended_at)
    return <RestoreCompany company={company} since={company.suspended_at} />;
  return <SuspendCompany company={company} />;
}

function SuspendCompany({ company }: { company: CompanyDetail }) {
  const update = useUpdateCompany(company.id);
  const [isOpen, dialog] = useDisclosure();
  if (company.is_own)
    return (
      <DangerZone title="Suspend this company">
        You are signed in to it: suspending it would end your own session.
      </DangerZone>
    );
  return (
    <>
      <DangerZone title="Suspend this company" verb="Suspend company" onAct={dialog.open}>
        Its API keys are not valid any more (invalid_api_key), and nobody of it signs in, at the
        console, at mailboxes or in mail apps. Its outgoing mail stays on hold until you restore the
        company or drop the mail. Incoming mail is still delivered to its mailboxes.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Suspend ${company.name}`}
        verb="Suspend company"
        name={company.name.toLowerCase()}
        isPending={update.isPending}
        error={update.error}
        onConfirm={() =>
          update.mutate(
            { suspended: true },
            {
              onSuccess() {
                dialog.close();
                toast(`${company.name} is suspended`);
              },
            },
          )
        }
      >
        <Stack gap="xs">
          <Text>From this moment on:</Text>
          <Text component="ul" m={0} pl="md">
            <li>{pluralize(company.api_keys, "API key")} answer invalid_api_key</li>
            <li>
              {`${company.admins} ${company.admins === 1 ? "person" : "people"}`} cannot sign in,{" "}
              {pluralize(company.sessions, "session")} end
            </li>
            <li>
              {`${company.mailboxes} ${company.mailboxes === 1 ? "mailbox" : "mailboxes"}`} cannot
              be opened; mail for them is kept
            </li>
            <li>
              {pluralize(company.scheduled_emails, "scheduled email")} fail when their time comes
            </li>
          </Text>
        </Stack>
      </ConfirmDialog>
    </>
  );
}

function RestoreCompany({ company, since }: { company: CompanyDetail; since: string }) {
  const update = useUpdateCompany(company.id);
  return (
    <Panel title="This company is suspended">
      <Text c="dimmed" mb="md">
        Since <ExactMoment at={since} />. Restored, its keys are valid again and people may sign in,
        each anew. Scheduled emails that failed meanwhile stay failed.
      </Text>
      <Button
        aria-busy={update.isPending}
        onClick={() =>
          update.mutate(
            { suspended: false },
            { onSuccess: () => toast(`${company.name} is restored`) },
          )
        }
      >
        Restore company
      </Button>
      <FormProblem error={update.error} />
    </Panel>
  );
}
