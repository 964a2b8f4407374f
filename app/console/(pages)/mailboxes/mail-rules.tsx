import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { useChange } from "#app/console/ui/actions.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { formatCount, formatDay, pluralize } from "#app/console/ui/format.ts";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { StatusDot } from "#app/console/ui/status.tsx";

import {
  type EffectiveSettings,
  effectiveSettingsQuery,
  type MailboxDetail,
  useSaveRules,
} from "./queries.ts";

const ForwardingForm = onDemand(() =>
  import("./account-parts.tsx").then((parts) => parts.ForwardingPart),
);
const VacationForm = onDemand(() =>
  import("./account-parts.tsx").then((parts) => parts.VacationPart),
);

/** Forwarding, automatic replies and filters of a mailbox. Admins who can reset its password can change the first two. */
export function MailRulesPanel({ mailbox }: { mailbox: MailboxDetail }) {
  const inForce = useQuery(effectiveSettingsQuery(mailbox.id));
  return (
    <QueryView query={inForce} noun="mail rules" skeleton={<PanelSkeleton count={5} />}>
      {(data) => (
        <Panel title="Mail rules and sending">
          <DescriptionList
            hasLongLabels
            items={{
              Forwarding: (
                <>
                  {describeForwarding(data)}
                  <UnconfirmedForwards mailbox={mailbox} forwards={data.unconfirmedForwards} />
                </>
              ),
              "Automatic replies": describeVacation(data.vacation),
              Filters: data.filters === 0 ? "None" : `${data.filters} on`,
              "Sent in the last hour": (
                <>
                  {pluralize(data.sending.lastHour, "recipient")} of{" "}
                  {formatCount(data.sending.hourlyMax)}
                  {data.sending.lastHour >= data.sending.hourlyMax &&
                    ". Limit reached: sending resumes when the hour has passed"}
                </>
              ),
            }}
          />
          {mailbox.may.reset_password && <EditRules mailbox={mailbox} rules={data} />}
          <Text size="sm" c="dimmed" mt="md">
            The mailbox user can change these rules on their account page.
          </Text>
        </Panel>
      )}
    </QueryView>
  );
}

const DIALOGS = { forwarding: "Forwarding", vacation: "Automatic replies" };

function EditRules({ mailbox, rules }: { mailbox: MailboxDetail; rules: EffectiveSettings }) {
  const [edited, setEdited] = useState<keyof typeof DIALOGS | null>(null);
  const save = useSaveRules(mailbox.id);
  const policyOf = (policy: string) => rules.policies.find(({ name }) => name === policy)?.value;
  const mayLeave = policyOf("outsideAllowed") !== false && policyOf("forwarding") !== "forbidden";
  return (
    <Group gap="xs" mt="md">
      <Button variant="default" onClick={() => setEdited("forwarding")}>
        Edit forwarding
      </Button>
      <Button variant="default" onClick={() => setEdited("vacation")}>
        Edit automatic replies
      </Button>
      <Modal
        opened={edited !== null}
        onClose={() => setEdited(null)}
        title={edited && `${DIALOGS[edited]} for ${mailbox.id}`}
        size="lg"
      >
        {edited === "forwarding" && (
          <ForwardingForm
            rules={{ ...rules, keepCopy: rules.keepsCopy }}
            mayLeave={mayLeave}
            draft={`forwarding-${mailbox.id}`}
            save={(forwarding) => save.run({ forwarding })}
          />
        )}
        {edited === "vacation" && (
          <VacationForm
            vacation={rules.vacation}
            draft={`automatic-reply-${mailbox.id}`}
            save={(vacation) => save.run({ vacation })}
          />
        )}
      </Modal>
    </Group>
  );
}

type UnconfirmedForwardsProps = {
  mailbox: MailboxDetail;
  forwards: EffectiveSettings["unconfirmedForwards"];
};

/** Forwarding addresses that get no mail because their owners haven't confirmed. */
function UnconfirmedForwards({ mailbox, forwards }: UnconfirmedForwardsProps) {
  const resend = useChange("mailboxAccess.resendForwardRequest", {
    invalidates: ["mailboxAccess"],
    success: ({ address }) => `Request sent to ${address}`,
  });
  return forwards.map(({ address, isDeclined }) => (
    <Group key={address} gap="xs" mt={4}>
      <Group gap={8} wrap="nowrap">
        <StatusDot tone={isDeclined ? "failed" : "waiting"} />
        <Text span style={{ overflowWrap: "anywhere" }}>
          {isDeclined ? `Declined by ${address}` : `Waiting for ${address} to confirm`}
        </Text>
      </Group>
      {!isDeclined && mailbox.may.update && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Resend request to ${address}`}
          onClick={() => resend.start({ params: { email: mailbox.id }, body: { address } })}
        >
          Resend
        </Button>
      )}
    </Group>
  ));
}

function describeForwarding({ forwardTo: to, keepsCopy }: EffectiveSettings): string {
  if (to.length === 0) return "Off";
  return `To ${to.join(", ")}${keepsCopy ? ", keeping a copy" : ", without keeping a copy"}`;
}

function describeVacation(answer: EffectiveSettings["vacation"]): string {
  if (!answer?.isOn) return "Off";
  const days = [
    answer.startsOn && `from ${formatDay(answer.startsOn)}`,
    answer.endsOn && `to ${formatDay(answer.endsOn)}`,
  ];
  return [`“${answer.subject}”`, ...days].filter(Boolean).join(" ");
}
