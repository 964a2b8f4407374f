import { Anchor, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { useId } from "react";

import type { AnswerOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { type Me, useMe, usePrivileges } from "#app/console/session.ts";
import { DescriptionList } from "#app/console/ui/details.tsx";
import {
  dateFormatter,
  formatBytes,
  formatCount,
  formatMegabytes,
} from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";
import { useNow } from "#app/console/ui/time.tsx";

import classes from "./usage.module.css";

type Usage = AnswerOf<"settings.getUsage">;

const REFRESH_MS = 15_000;

/** Shows the company's usage and limits, which only operators can change. */
export function CompanyUsage() {
  const usage = useRead("settings.getUsage", {}, { refetchInterval: REFRESH_MS });
  const me = useMe();
  return (
    <QueryView query={usage} noun="the usage" skeleton={<Skeleton height={420} />}>
      {(usage) => (
        <Stack gap="md">
          <SendingUsage usage={usage} />
          <StorageUsage usage={usage} />
          <Panel title="API">
            <DescriptionList
              items={{
                Requests: `${usage.requestsPerSecond} per second`,
                "Concurrent requests": usage.requestsInProgress,
              }}
            />
          </Panel>
          <Text size="sm" c="dimmed">
            {usage.plan === null
              ? "These are custom limits for your company."
              : `These are the limits of the ${usage.plan} plan.`}{" "}
            {!me?.isOperator && "The operator of this Posthouse server can change them."}
          </Text>
          {me?.isOperator && <OperatedCompany me={me} />}
        </Stack>
      )}
    </QueryView>
  );
}

/** Shows operators where to change the limits and, if there is only one company, where to create a second one. */
const OperatedCompany = ({ me }: { me: Me }) => (
  <Panel title="This server">
    <Text mb="sm">
      {me.hasSeveralCompanies
        ? "As an operator, you can change these limits."
        : "As an operator, you can change these limits, or create a second company with its own domains, mailboxes, and admins."}
    </Text>
    <Group gap="xs">
      <Button
        variant="default"
        component={Link}
        href={`/console/operate/companies/${me.company.id}`}
      >
        Change limits
      </Button>
      {!me.hasSeveralCompanies && (
        <Button variant="default" component={Link} href="/console/operate/companies/new">
          Create second company
        </Button>
      )}
    </Group>
  </Panel>
);

const SendingUsage = ({ usage: { month, hour, scheduled } }: { usage: Usage }) => (
  <Panel title="Sending">
    <Stack gap="lg">
      <UsageMeter
        name="Recipients this month"
        {...month}
        note={`Resets on ${firstOfNextMonth(useNow())} (UTC).`}
      />
      <UsageMeter
        name="Recipients in the last 60 minutes"
        {...hour}
        note="Emails over this limit are rejected until usage drops."
      />
      <UsageMeter
        name="Recipients of scheduled emails"
        {...scheduled}
        note="Already included in this month’s recipients."
      />
    </Stack>
  </Panel>
);

function StorageUsage({ usage }: { usage: Usage }) {
  const { domains, mailboxes, storage, largestMailboxMb: largest } = usage;
  const { has } = usePrivileges();
  const seesDomains = has("domains") || has("api_controls");
  return (
    <Panel title="Domains and mailboxes">
      <Stack gap="lg">
        <UsageMeter name="Domains" {...domains} href={seesDomains && "/console/domains"} />
        <UsageMeter
          name="Mailboxes"
          {...mailboxes}
          href={has("view_users") && "/console/mailboxes"}
        />
        <UsageMeter
          name="Storage"
          href={has("view_users") && "/console/mailboxes?sort=-storage"}
          used={storage.usedBytes}
          allowed={storage.allowedBytes || null}
          format={formatBytes}
          note={[
            "Total storage limit of all mailboxes.",
            largest !== null && `A mailbox can have up to ${formatMegabytes(largest)}.`,
            storage.deletedBytes > 0 &&
              `Deleted mailboxes use ${formatBytes(storage.deletedBytes)} of it.`,
          ]
            .filter(Boolean)
            .join(" ")}
        />
      </Stack>
    </Panel>
  );
}

const formatDate = dateFormatter({ day: "numeric", month: "long", timeZone: "UTC" });

/** The day the monthly count resets. */
const firstOfNextMonth = (now: Date): string =>
  formatDate(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)));

const NEARLY_USED = 0.8;

function usageShare(used: number, allowed: number | null): number {
  if (allowed === null) return 0;
  return allowed === 0 ? 1 : used / allowed;
}

function usageTone(share: number): StatusTone {
  if (share >= 1) return "failed";
  return share >= NEARLY_USED ? "waiting" : "info";
}

type UsageMeterProps = {
  name: string;
  used: number;
  allowed: number | null;
  format?: (value: number) => string;
  note?: string;
  href?: string | false;
};

/**
 * @param allowed null for no limit, which hides the bar
 * @param href the list of what is counted
 */
function UsageMeter({ name, used, allowed, format = formatCount, note, href }: UsageMeterProps) {
  const nameId = useId();
  const share = usageShare(used, allowed);
  const tone = usageTone(share);
  return (
    <div>
      <Group justify="space-between" gap="2px 16px">
        <Text span fw={500} id={nameId}>
          {href ? (
            <Anchor component={Link} href={href} inherit>
              {name}
            </Anchor>
          ) : (
            name
          )}
        </Text>
        <span className={classes.figures}>
          {allowed === null ? `${format(used)}, no limit` : `${format(used)} of ${format(allowed)}`}
        </span>
      </Group>
      {allowed !== null && (
        <div
          className={classes.track}
          role="meter"
          aria-labelledby={nameId}
          aria-valuemin={0}
          aria-valuemax={allowed}
          aria-valuenow={Math.min(used, allowed)}
          aria-valuetext={`${format(used)} of ${format(allowed)}`}
        >
          <div
            className={classes.bar}
            data-tone={tone}
            style={{ width: `${Math.min(100, share * 100)}%` }}
          />
        </div>
      )}
      <Group gap="2px 16px" fz="sm" c="dimmed">
        {tone !== "info" && (
          <Status tone={tone} label={share >= 1 ? "Limit reached" : "Near limit"} />
        )}
        {note && <span>{note}</span>}
      </Group>
    </div>
  );
}
