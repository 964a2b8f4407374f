"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import {
  type CompanyDetail,
  useSwitchCompanyState,
  useUpdateCompany,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DangerZone, Panel } from "#app/console/ui/panel.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { toast } from "#app/console/ui/actions.tsx";

export function CompanySuspension({ company }: { company: CompanyDetail }) {
  if (company.suspendedAt) return <RestoreCompany company={company} since={company.suspendedAt} />;
  return <SuspendCompany company={company} />;
}

function SuspendCompany({ company }: { company: CompanyDetail }) {
  const update = useUpdateCompany(company.id);
  const [isOpen, dialog] = useDisclosure();
  if (company.isOwn)
    return (
      <DangerZone title="Suspend this company">
        You’re signed in to this company. To suspend it, sign in to another one first.
      </DangerZone>
    );
  return (
    <>
      <DangerZone title="Suspend this company" actionLabel="Suspend company" onAction={dialog.open}>
        API keys stop working (invalid_api_key). Admins and mailbox users can’t sign in, including
        in mail apps. Outgoing mail stays on hold until you restore the company or drop the mail.
        Incoming mail is still delivered.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Suspend ${company.name}?`}
        confirmLabel="Suspend company"
        typeToConfirm={company.name}
        onConfirm={async () => {
          await update.mutateAsync({ suspended: true });
          toast(`${company.name} suspended`);
        }}
      >
        <Stack gap="xs">
          <Text>Effective immediately:</Text>
          <Text component="ul" m={0} pl="md">
            {suspensionEffects(company).map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </Text>
        </Stack>
      </ConfirmDialog>
    </>
  );
}

function suspensionEffects(company: CompanyDetail): string[] {
  const { apiKeys, admins, sessions, mailboxes, scheduledEmails: scheduled } = company;
  const effects: [count: number, text: string][] = [
    [apiKeys, `${pluralize(apiKeys, "API key")} will fail with invalid_api_key`],
    [admins, `${pluralize(admins, "admin")} can’t sign in`],
    [sessions, `${pluralize(sessions, "session")} will end`],
    [mailboxes, `${pluralize(mailboxes, "mailbox", "mailboxes")} can’t be opened`],
    [scheduled, `${pluralize(scheduled, "scheduled email")} will fail when due`],
  ];
  return [
    ...effects.filter(([count]) => count > 0).map(([, text]) => text),
    "Outgoing mail is put on hold. Incoming mail is still delivered",
  ];
}

function RestoreCompany({ company, since }: { company: CompanyDetail; since: string }) {
  const restoration = useSwitchCompanyState(company.id, {
    change: { suspended: false },
    success: `${company.name} restored`,
  });
  return (
    <Panel title="Company suspended">
      <Text c="dimmed" mb="md">
        Since <ExactTime at={since} />. When you restore the company, its API keys work again, its
        mail is released, and everyone can sign in again. Scheduled emails that failed aren’t sent.
      </Text>
      <Button aria-busy={restoration.isPending} onClick={() => restoration.start()}>
        Restore company
      </Button>
    </Panel>
  );
}
