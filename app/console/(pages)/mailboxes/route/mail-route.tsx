"use client";

import { Anchor, Button, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { CSSProperties, SubmitEvent } from "react";

import type { AnswerOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { formText } from "#app/console/ui/form/form-text.ts";
import { looksLikeAddress } from "#app/console/ui/form/checks.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status, StatusDot, type StatusTone } from "#app/console/ui/status.tsx";
import { anyText, useUrlFilters } from "#app/console/ui/url-filters.ts";

import classes from "./mail-route.module.css";

type Route = AnswerOf<"routes.find">;
type Stop = Route["stops"][number];

const routeUrl = (address: string) =>
  `/console/mailboxes/route?${new URLSearchParams({ address }).toString()}`;

/** An address field that opens the page showing where mail to the address goes. */
export function RouteField({ address = "" }: { address?: string | undefined }) {
  const router = useRouter();
  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = formText(new FormData(event.currentTarget), "address").trim();
    if (text !== "") router.push(routeUrl(text));
  }
  return (
    <form className={classes.form} onSubmit={handleSubmit}>
      <TextInput
        key={address}
        size="sm"
        name="address"
        aria-label="Email address"
        placeholder="sales@example.com"
        defaultValue={address}
        maxLength={320}
        className={classes.field}
      />
      <Button type="submit" variant="default">
        Check address
      </Button>
    </form>
  );
}

export function MailRoute() {
  const { address } = useUrlFilters({ address: anyText });
  const problem = address === undefined ? null : looksLikeAddress(address, {});
  const isChecked = address !== undefined && problem === null;
  const route = useRead(
    "routes.find",
    { query: { address: address ?? "" } },
    { enabled: isChecked },
  );
  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: "/console/mailboxes" }]} />
      <PageHeader
        title="Where does this address go?"
        help="tracing"
        description="Shows who receives mail to an address, by the same rules as the mail server. Nothing is sent."
      />
      <Stack gap="lg">
        <RouteField address={address} />
        {problem !== null && <Text role="alert">The address {problem}.</Text>}
        {isChecked && (
          <QueryView
            query={route}
            noun="the route"
            skeleton={<Skeleton height={120} radius="lg" />}
          >
            {(found) => <RoutePanel route={found} />}
          </QueryView>
        )}
      </Stack>
    </>
  );
}

function RoutePanel({ route: { reply, isHosted, isSuppressed, stops } }: { route: Route }) {
  const { address, kind } = stops[0]!;
  return (
    <Panel title={address} aside={<Verdict reply={reply} kind={kind} />}>
      <Stack gap="md">
        {reply !== null && (
          <Text>
            The mail server replies <code>{reply}</code>
            {reply.startsWith("4") && ". The sender’s server will retry later."}
          </Text>
        )}
        {isHosted === false && (
          <Text>
            The domain’s MX record doesn’t point to this server, so mail from outside goes
            elsewhere.
          </Text>
        )}
        {isSuppressed && (
          <Text>
            The address is on your{" "}
            <Anchor
              component={Link}
              underline="always"
              href={`/console/suppressions?search=${encodeURIComponent(address)}`}
            >
              suppression list
            </Anchor>
            , so emails sent through the API don’t reach it.
          </Text>
        )}
        <ul className={classes.stops} aria-label="Path">
          {stops.map((stop, at) => (
            <RouteStop key={`${at} ${stop.address}`} stop={stop} />
          ))}
        </ul>
      </Stack>
    </Panel>
  );
}

function Verdict({ reply, kind }: { reply: string | null; kind: Stop["kind"] }) {
  if (reply?.startsWith("4")) return <Status tone="waiting" label="Deferred" />;
  if (reply !== null) return <Status tone="failed" label="Rejected" />;
  if (kind === "outside") return <Status tone="none" label="Not your domain" />;
  return <Status tone="done" label="Accepted" />;
}

function RouteStop({ stop }: { stop: Stop }) {
  const tone = stop.notes.map((note) => NOTES[note].tone).find((one) => one !== "done");
  return (
    <li className={classes.stop} style={{ "--depth": stop.depth } as CSSProperties}>
      <StatusDot tone={tone ?? KINDS[stop.kind].tone} />
      <div>
        <div>
          <StopAddress stop={stop} />
        </div>
        <Text c="dimmed" size="sm">
          {describeStop(stop)}
        </Text>
      </div>
    </li>
  );
}

function StopAddress({ stop: { kind, address, target } }: { stop: Stop }) {
  if (kind !== "mailbox" && kind !== "group") return address;
  const list = kind === "mailbox" ? "mailboxes" : "groups";
  return (
    <>
      {address !== target && `${address} → `}
      <Anchor
        component={Link}
        underline="always"
        href={`/console/${list}/${encodeURIComponent(target)}`}
      >
        {target}
      </Anchor>
    </>
  );
}

const KINDS: Record<Stop["kind"], { label: string; tone: StatusTone }> = {
  mailbox: { label: "Mailbox", tone: "done" },
  group: { label: "Group", tone: "done" },
  inbound: { label: "Inbound address, for the API and webhooks", tone: "done" },
  owners: { label: "Delivered to your company’s owners", tone: "done" },
  server: { label: "Address of the server itself, for reports and bounces", tone: "done" },
  unknown: { label: "No such address", tone: "failed" },
  outside: { label: "Outside your company", tone: "none" },
};

const VIA: Record<NonNullable<Stop["via"]>, string> = {
  alias: "Alias of the mailbox",
  tag: "Without the tag after +",
  catch_all: "No such address, so the catch-all receives it",
};

const NOTES: Record<Stop["notes"][number], { label: string; tone: StatusTone }> = {
  suspended: { label: "Suspended: mail arrives, but the user can’t sign in", tone: "waiting" },
  full: { label: "Full: senders retry until there’s space", tone: "waiting" },
  keeps_no_copy: { label: "Forwards without keeping a copy", tone: "done" },
  automatic_reply: { label: "Has an automatic reply", tone: "done" },
  forwarding_suspended: { label: "Forwarding stopped after repeated failures", tone: "failed" },
  forwarding_forbidden: {
    label: "Not forwarded: the unit’s policy forbids forwarding outside your company",
    tone: "failed",
  },
  forwarding_unconfirmed: { label: "Not forwarded: waiting for confirmation", tone: "waiting" },
  moderated: { label: "Posts may wait for a moderator", tone: "waiting" },
  restricted: { label: "Not everyone can post", tone: "done" },
  no_members: { label: "No members, so mail is discarded", tone: "failed" },
  repeated: { label: "Listed above; gets only one copy", tone: "done" },
  inactive: { label: "The alias or group is turned off", tone: "failed" },
  deleted: { label: "Deleted: you can restore it on the Deleted page", tone: "failed" },
};

function describeStop({ kind, via, notes, more, depth }: Stop): string {
  const isElsewhere = kind === "outside" && depth === 0;
  const label = isElsewhere
    ? "Mail goes to the domain’s mail server"
    : via === null
      ? KINDS[kind].label
      : VIA[via];
  const hidden = more > 0 ? [`${more} more not shown`] : [];
  return [label, ...notes.map((note) => NOTES[note].label), ...hidden].join(" · ");
}
