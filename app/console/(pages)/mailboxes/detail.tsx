"use client";

import { Anchor, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Fragment } from "react";

import { groupUrl } from "#app/console/(pages)/groups/labels.ts";
import {
  formatPolicyValue,
  POLICIES,
  POLICY_NAMES,
  policySource,
} from "#app/console/(pages)/units/policies.ts";
import { usePrivileges } from "#app/console/session.ts";
import { CopyableValue, QrCode } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { HelpTextLink } from "#app/console/ui/links.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

import { mailboxStatus } from "./labels.ts";
import { MailRulesPanel } from "./mail-rules.tsx";
import { MailboxActions } from "./mailbox-menu.tsx";
import classes from "./mailbox.module.css";
import { UsageBar } from "./parts.tsx";
import {
  effectiveSettingsQuery,
  type MailboxDetail,
  mailboxQuery,
  type SetUp,
  mailboxSetUpQuery,
} from "./queries.ts";
import { MailboxAliases, MailboxHost } from "./sharing.tsx";

const loading = <PanelSkeleton count={3} />;

const MailboxAccessPanels = onDemand(
  () => import("./access.tsx").then((module) => module.MailboxAccessPanels),
  loading,
);
const MailboxSettings = onDemand(
  () => import("./settings.tsx").then((module) => module.MailboxSettings),
  loading,
);
const PRELOADS = { access: MailboxAccessPanels.preload, settings: MailboxSettings.preload };
const MailAppSettings = onDemand(() =>
  import("./account-parts.tsx").then((parts) => parts.MailAppSettingsPart),
);

export function MailboxDetails({ address }: { address: string }) {
  const mailbox = useQuery(mailboxQuery(address));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: "/console/mailboxes" }]} />
      <QueryView query={mailbox} noun="this mailbox" skeleton={<MailboxSkeleton />} titleOrder={1}>
        {(mailbox) => (
          <>
            <PageHeader
              documentTitle={`${mailbox.id} · Mailboxes`}
              title={mailbox.id}
              description={
                <>
                  {mailbox.name} · <Status {...mailboxStatus(mailbox)} />
                </>
              }
              help="mailboxes"
              action={<MailboxActions mailbox={mailbox} />}
            />
            <Stack gap="md">
              {mailbox.sendingHeld && <OnHoldNotice mayDecide={mailbox.may.reset_password} />}
              <MailboxTabs mailbox={mailbox} />
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

const TABS = { overview: "Overview", access: "Access", apps: "Mail apps" };

function MailboxTabs({ mailbox }: { mailbox: MailboxDetail }) {
  const { isOwner } = usePrivileges();
  const hasSettings = isOwner || mailbox.may.update || mailbox.may.suspend;
  const labels = { ...TABS, ...(hasSettings && { settings: "Settings" }) };
  return (
    <UrlTabs labels={labels} preloads={PRELOADS}>
      <Tabs.Panel value="overview">
        <div className={classes.overview}>
          <Stack gap="md">
            <MailboxFacts mailbox={mailbox} />
            <MailRulesPanel mailbox={mailbox} />
            <MailboxHost address={mailbox.id} />
          </Stack>
          <Stack gap="md">
            <MailboxAliases mailbox={mailbox} />
            <MailboxPolicies mailbox={mailbox} />
          </Stack>
        </div>
      </Tabs.Panel>
      <Tabs.Panel value="access">
        <MailboxAccessPanels mailbox={mailbox} />
      </Tabs.Panel>
      <Tabs.Panel value="apps">
        <MailAppSetup mailbox={mailbox} />
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <MailboxSettings mailbox={mailbox} />
      </Tabs.Panel>
    </UrlTabs>
  );
}

const OnHoldNotice = ({ mayDecide }: { mayDecide: boolean }) => (
  <Panel title="Outgoing mail is on hold">
    <Text>
      This mailbox suddenly sent to many new recipients from a new network. Its password may have
      been stolen.{" "}
      {mayDecide ? (
        <>
          Review its{" "}
          <Anchor component={Link} href="/console/on-hold" underline="always">
            mail on hold
          </Anchor>{" "}
          and release it, or secure the mailbox.
        </>
      ) : (
        "An admin who can reset passwords can release it."
      )}
    </Text>
  </Panel>
);

const FACTS = 6;

const MailboxSkeleton = () => (
  <>
    <Skeleton height={20} width="45%" mt={4} mb={8} />
    <Skeleton height={12} width={160} mb={32} />
    <Skeleton height={12} width={280} mb={24} />
    <PanelSkeleton count={FACTS} />
  </>
);

function MailboxFacts({ mailbox }: { mailbox: MailboxDetail }) {
  const mailboxSearch = new URLSearchParams({ mailbox: mailbox.id }).toString();
  return (
    <Panel title="Details">
      <DescriptionList
        items={{
          Address: <CopyableValue value={mailbox.id} label="address" />,
          Storage: <UsageBar of={mailbox} />,
          "Calendars and contacts": mailbox.collections && <UsageBar of={mailbox.collections} />,
          Messages: formatCount(mailbox.messages),
          Unit: (
            <Anchor component={Link} href={`/console/units?unit=${mailbox.orgUnit.id}`}>
              {mailbox.orgUnit.name}
            </Anchor>
          ),
          Groups: <GroupLinks mailbox={mailbox} />,
          "Mail log": (
            <>
              <Anchor
                component={Link}
                underline="always"
                href={`/console/mail-log?${mailboxSearch}`}
              >
                Messages
              </Anchor>
              {" and "}
              <Anchor
                component={Link}
                underline="always"
                href={`/console/mail-log?tab=outgoing&${mailboxSearch}`}
              >
                delivery attempts
              </Anchor>
            </>
          ),
          "Last sign-in":
            mailbox.lastSignInAt === null ? "Never" : <ExactTime at={mailbox.lastSignInAt} />,
          Created: <ExactTime at={mailbox.createdAt} />,
        }}
      />
    </Panel>
  );
}

/** Linked for admins who can view groups. */
function GroupLinks({ mailbox: { groups } }: { mailbox: MailboxDetail }) {
  const mayView = usePrivileges().has("view_groups");
  if (groups.length === 0) return "None";
  return groups.map(({ address: group, isMember }, index) => (
    <Fragment key={group}>
      {index > 0 && ", "}
      {mayView ? (
        <Anchor component={Link} href={groupUrl(group)}>
          {group}
        </Anchor>
      ) : (
        group
      )}
      {!isMember && " (through a unit)"}
    </Fragment>
  ));
}

function MailAppSetup({ mailbox }: { mailbox: MailboxDetail }) {
  const setUp = useQuery(mailboxSetUpQuery(mailbox.id));
  return (
    <QueryView query={setUp} noun="the settings" skeleton={<PanelSkeleton count={9} />}>
      {(setUp) => setUp && <SetupPanels setUp={setUp} />}
    </QueryView>
  );
}

const SetupPanels = ({ setUp }: { setUp: SetUp }) => (
  <div className={classes.ways}>
    <Panel title="Settings">
      <MailAppSettings setUp={setUp} />
      <div className={classes.signIn}>
        <DescriptionList
          items={{
            Username: <CopyableValue value={setUp.id} label="username" />,
            Password: "The mailbox password or an app password",
          }}
        />
      </div>
      <Text size="sm" c="dimmed" mt="md">
        Protocols the unit doesn’t allow aren’t listed. <HelpTextLink topic="mail-apps" />
      </Text>
    </Panel>
    <Panel title="Phone setup">
      <QrCode
        qr={setUp.qr}
        url={setUp.phoneUrl}
        label="QR code that opens the settings on a phone"
      />
      <Text size="sm" c="dimmed" mt="sm">
        Scan the code to open{" "}
        <Anchor href={setUp.phoneUrl} target="_blank" inherit underline="always">
          a page with instructions for each app
        </Anchor>
        . It contains no password, so you can send the link to the mailbox user.
      </Text>
    </Panel>
  </div>
);

/** The default size doesn't affect an existing mailbox. */
const SHOWN_POLICIES = POLICY_NAMES.filter((name) => name !== "defaultQuotaMb");

function MailboxPolicies({ mailbox }: { mailbox: MailboxDetail }) {
  const inForce = useQuery(effectiveSettingsQuery(mailbox.id));
  return (
    <QueryView query={inForce} noun="policies" skeleton={<PanelSkeleton count={7} />}>
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
