"use client";

import { Button, Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";

import { groupUrl } from "#app/console/(pages)/groups/group-labels.ts";
import { groupOptionsQuery, useCreateGroup } from "#app/console/(pages)/groups/queries.ts";
import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/no-mailboxes.tsx";
import { AddressPicker } from "#app/console/ui/addresses.tsx";
import { AddressFields, completeAddress } from "#app/console/ui/address-fields.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

const LIST = "/console/groups";

export function NewGroup() {
  const options = useQuery(groupOptionsQuery);
  return (
    <>
      <Breadcrumbs trail={[{ label: "Groups", href: LIST }]} />
      <PageHeader
        title="Create group"
        description="Anyone can post to the group until you restrict access."
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

function NewGroupForm({ domains, domain }: { domains: string[]; domain: string }) {
  const router = useRouter();
  const creation = useCreateGroup();
  const form = useForm({
    initialValues: { address: "", domain, name: "", members: [] as string[] },
    labels: { address: "Address", name: "Name", members: "Members" },
    checks: { address: required },
    draft: "new-group",
    send: ({ address, domain, name, members }) =>
      creation.mutateAsync({
        address: completeAddress(address, domain),
        name,
        members,
      }),
    entries: ({ members }) => ({ members }),
    onDone: ({ id }) => router.replace(groupUrl(id)),
    leavesPage: true,
  });

  return (
    <Form
      form={form}
      gap="lg"
      maxWidth={560}
      actions={
        <Group gap="xs">
          <SubmitButton form={form}>Create group</SubmitButton>
          <Button component={Link} href={LIST} variant="default" onClick={form.discard}>
            Cancel
          </Button>
        </Group>
      }
    >
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
        description="Up to 200 addresses, typed or pasted. External addresses are allowed."
      />
    </Form>
  );
}
