"use client";

import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import {
  POLICY_NAMES,
  policySource,
  formatPolicyValue,
  POLICIES,
} from "#app/console/(pages)/units/policy-labels.ts";
import { formatDay, formatCount, pluralize } from "#app/console/ui/format.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

import { type EffectiveSettings as Data, effectiveSettingsQuery } from "./access-queries.ts";

/** The default size doesn't affect an existing mailbox. */
const SHOWN_POLICIES = POLICY_NAMES.filter((name) => name !== "defaultQuotaMb");

export function MailboxRules({ mailbox }: { mailbox: MailboxDetail }) {
  const inForce = useQuery(effectiveSettingsQuery(mailbox.id));
  return (
    <QueryView
      query={inForce}
      noun="mail rules"
      skeleton={
        <Panel>
          <SkeletonLines count={5} />
        </Panel>
      }
    >
      {(data) => (
        <Panel title="Mail rules and sending">
          <DescriptionList hasLongLabels>
            <DescriptionItem label="Forwarding">{describeForwarding(data)}</DescriptionItem>
            <DescriptionItem label="Automatic replies">
              {describeVacation(data.vacation)}
            </DescriptionItem>
            <DescriptionItem label="Filters">
              {data.filters === 0 ? "None" : `${data.filters} on`}
            </DescriptionItem>
            <DescriptionItem label="Sent in the last hour">
              {pluralize(data.sending.lastHour, "recipient")} of{" "}
              {formatCount(data.sending.hourlyMax)}
              {data.sending.lastHour >= data.sending.hourlyMax &&
                ". Limit reached: sending resumes when the hour has passed"}
            </DescriptionItem>
          </DescriptionList>
          <Text size="sm" c="dimmed" mt="md">
            The mailbox user manages these rules on their account page.
          </Text>
        </Panel>
      )}
    </QueryView>
  );
}

export function MailboxPolicies({ mailbox }: { mailbox: MailboxDetail }) {
  const inForce = useQuery(effectiveSettingsQuery(mailbox.id));
  return (
    <QueryView
      query={inForce}
      noun="policies"
      skeleton={
        <Panel>
          <SkeletonLines count={7} />
        </Panel>
      }
    >
      {({ policies }) => (
        <Panel
          title="Policies"
          aside={
            <Anchor component={Link} href={`/console/units?unit=${mailbox.orgUnit.id}`} size="sm">
              View {mailbox.orgUnit.name}
            </Anchor>
          }
        >
          <DescriptionList hasLongLabels>
            {SHOWN_POLICIES.map((name) => policies.find((policy) => policy.name === name)!).map(
              ({ name, value, from }) => (
                <DescriptionItem key={name} label={POLICIES[name].label}>
                  {formatPolicyValue(name, value)}{" "}
                  <Text component="span" size="sm" c="dimmed">
                    {policySource(from, mailbox.orgUnit.id).replace("Set here", "Set by its unit")}
                  </Text>
                </DescriptionItem>
              ),
            )}
          </DescriptionList>
        </Panel>
      )}
    </QueryView>
  );
}

function describeForwarding({ forwardTo: to, keepsCopy }: Data): string {
  if (to.length === 0) return "Off";
  return `To ${to.join(", ")}${keepsCopy ? ", keeping a copy" : ", without keeping a copy"}`;
}

function describeVacation(answer: Data["vacation"]): string {
  if (!answer?.isOn) return "Off";
  const days = [
    answer.startsOn && `from ${formatDay(answer.startsOn)}`,
    answer.endsOn && `to ${formatDay(answer.endsOn)}`,
  ];
  return [`“${answer.subject}”`, ...days].filter(Boolean).join(" ");
}
