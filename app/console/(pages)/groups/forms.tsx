"use client";

import { NativeSelect, type NativeSelectProps, Switch, TextInput } from "@mantine/core";
import { useRouter } from "next/navigation";

import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/parts.tsx";
import { queryOf, useRead } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { AddressFields, completeAddress } from "#app/console/ui/address-fields.tsx";
import { AddressPicker } from "#app/console/ui/addresses.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SavedStatus } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { useChange } from "#app/console/ui/actions.tsx";

import { type GroupDetail, groupUrl, MODERATION, POSTING, REPLIES } from "./labels.ts";

/** Effects of changes that return the updated group. */
export const CHANGES_GROUP = {
  forgets: ["groups.list"] as const,
  stores: ({ params }: { params: { address: string } }) => queryOf("groups.get", { params }),
};

/** The server's limit. */
const MEMBERS_MAX = 200;

const LIST = "/console/groups";

export function NewGroup() {
  const options = useRead("groups.getOptions", {});
  return (
    <>
      <Breadcrumbs trail={[{ label: "Groups", href: LIST }]} />
      <PageHeader
        title="Create group"
        description="Mail to the group’s address is delivered to all its members."
        help="groups"
      />
      <Panel>
        <QueryView query={options} noun="your domains" skeleton={<SkeletonLines count={12} />}>
          {({ domains, mainDomain: main }) =>
            main === null ? <NoVerifiedDomain /> : <NewGroupForm domains={domains} domain={main} />
          }
        </QueryView>
      </Panel>
    </>
  );
}

type NewGroupFields = {
  address: string;
  domain: string;
  name: string;
  members: string[];
  /** Its id; "" for none. */
  unit: string;
  /** Lists of allowed addresses are set on the group's page. */
  posting: Exclude<GroupDetail["posting"], "listed">;
};

function NewGroupForm({ domains, domain }: { domains: string[]; domain: string }) {
  const router = useRouter();
  const creation = useChange("groups.create", { forgets: ["groups.list"] });
  const initialValues: NewGroupFields = {
    address: "",
    domain,
    name: "",
    members: [],
    unit: "",
    posting: "anyone",
  };
  const form = useForm({
    initialValues,
    labels: {
      address: "Address",
      name: "Name",
      members: "Members",
      unit: "Unit",
      posting: "Who can post",
    },
    checks: { address: required },
    draft: "new-group",
    send: ({ address, domain, unit, ...rest }) =>
      creation.run({
        body: { address: completeAddress(address, domain), units: unitIds(unit), ...rest },
      }),
    entries: ({ members }) => ({ members }),
    onDone: ({ id }) => router.replace(groupUrl(id)),
    leavesPage: true,
  });

  return (
    <Form form={form} gap="lg" maxWidth={560} submit="Create group" cancelHref={LIST}>
      <AddressFields
        address={form.field("address")}
        domain={form.field("domain")}
        domains={domains}
        placeholder="support"
      />
      <TextInput {...form.field("name")} placeholder="Support" maxLength={160} autoComplete="off" />
      <AddressPicker
        {...form.field("members")}
        checks
        description={`Up to ${MEMBERS_MAX} addresses, typed or pasted. External addresses are allowed.`}
      />
      <UnitMemberSelect {...form.field("unit")} />
      <NativeSelect
        {...form.field("posting")}
        description={POSTING[form.values.posting].help}
        size="md"
        data={postingOptions.filter(({ value }) => value !== "listed")}
      />
    </Form>
  );
}

/** The ids of a selected unit, or of none. */
export const unitIds = (selected: string) => (selected === "" ? [] : [Number(selected)]);

type UnitMemberSelectProps = NativeSelectProps & { members?: GroupDetail["units"] };

/**
 * Selects a unit whose mailboxes become members.
 *
 * @param members units that are members already
 */
export function UnitMemberSelect({ members = [], ...field }: UnitMemberSelectProps) {
  const mayView = usePrivileges().has("view_users");
  const { data: options } = useRead("units.list", {}, { enabled: mayView });
  if (!options) return null;
  return (
    <NativeSelect
      {...field}
      description="All mailboxes in the unit and its subunits become members, including ones added later."
      size="md"
      data={[
        { value: "", label: "No unit" },
        ...options.data
          .filter(({ id }) => !members.some((member) => member.id === id))
          .map(({ id, name, isRoot, mailboxesBelow: count }) => ({
            value: String(id),
            label: `${isRoot ? `Everyone in ${name}` : name} (${formatCount(count)})`,
          })),
      ]}
    />
  );
}

export function GroupNameForm({ group }: { group: GroupDetail }) {
  const update = useChange("groups.update", CHANGES_GROUP);
  const form = useForm({
    initialValues: { name: group.name },
    labels: { name: "Name" },
    draft: `group-name-${group.id}`,
    send: (body) => update.run({ params: { address: group.id }, body }),
  });

  return (
    <Panel title="Name">
      <Form form={form} maxWidth={560} submit="Save name" beside={<SavedStatus form={form} />}>
        <TextInput
          {...form.field("name")}
          label={undefined}
          aria-label="Name"
          description="Shown next to the address. Optional."
          maxLength={160}
          autoComplete="off"
        />
      </Form>
    </Panel>
  );
}

type GroupAccess = Pick<
  GroupDetail,
  "posting" | "posters" | "moderation" | "moderators" | "replies" | "membersSendAs" | "active"
>;

const toFields = (group: GroupDetail): GroupAccess => ({
  posting: group.posting,
  moderation: group.moderation,
  replies: group.replies,
  membersSendAs: group.membersSendAs,
  active: group.active,
  posters: group.posters,
  moderators: group.moderators,
});

/** Omits lists that aren't shown, so that they stay unchanged. */
const fromFields = ({ posters, moderators, ...rest }: GroupAccess): Partial<GroupAccess> => ({
  ...rest,
  ...(rest.posting === "listed" && { posters }),
  ...(rest.moderation !== "none" && { moderators }),
});

const toOptions = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const postingOptions = Object.entries(POSTING).map(([value, { label }]) => ({ value, label }));

export function GroupAccessForm({ group }: { group: GroupDetail }) {
  const update = useChange("groups.updateAccess", CHANGES_GROUP);
  const form = useForm({
    initialValues: toFields(group),
    labels: { posters: "Addresses and domains", moderators: "Moderators" },
    draft: `group-access-${group.id}`,
    send: (fields) => update.run({ params: { address: group.id }, body: fromFields(fields) }),
    entries: ({ posters, moderators }) => ({
      // The server's indexes count addresses only, not domains.
      posters: posters.filter((entry) => !entry.startsWith("@")),
      moderators,
    }),
    stored: toFields,
  });
  const { posting, moderation } = form.values;

  return (
    <Panel title="Access">
      <Form
        form={form}
        gap="lg"
        maxWidth={560}
        submit="Save access settings"
        beside={<SavedStatus form={form} />}
      >
        <NativeSelect
          {...form.field("posting")}
          label="Who can post"
          description={POSTING[posting].help}
          size="md"
          data={postingOptions}
        />
        {posting === "listed" && (
          <AddressPicker
            {...form.field("posters")}
            checks
            takesDomains
            description="Enter a domain as @example.com."
          />
        )}
        <NativeSelect
          {...form.field("moderation")}
          label="Message moderation"
          size="md"
          data={toOptions(MODERATION)}
        />
        {moderation !== "none" && (
          <AddressPicker
            {...form.field("moderators")}
            suggests={["mailbox"]}
            checks
            description="Mailboxes of your company to notify about messages awaiting approval. If empty, company owners are notified. Approve messages under Quarantine."
          />
        )}
        <NativeSelect
          {...form.field("replies")}
          label="Replies go to"
          size="md"
          data={toOptions(REPLIES)}
        />
        <Switch
          checked={form.values.membersSendAs}
          onChange={(event) => form.set("membersSendAs", event.currentTarget.checked)}
          label="Members with a mailbox can send as the group"
        />
        <Switch
          checked={form.values.active}
          onChange={(event) => form.set("active", event.currentTarget.checked)}
          label="Accept mail"
          description="When off, mail to this group is rejected."
        />
      </Form>
    </Panel>
  );
}
