"use client";

import { Text } from "@mantine/core";

import { formatLimit, formatRecipients } from "#app/console/(pages)/operate/plan-limits.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { ChoiceChips, FilterSelect, withSelected } from "#app/console/ui/filter-chips.tsx";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { createdColumn } from "#app/console/ui/message-columns.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { anyText, oneOf } from "#app/console/ui/url-filters.ts";

import { COMPANY_STATUSES, planName } from "./queries.ts";

/** `plan` is an ID, or "none". */
const FILTERS = { state: oneOf(COMPANY_STATUSES), plan: anyText };

export function Companies() {
  const plans = useRead("plans.list", {});
  return (
    <ListPage
      list="companies.list"
      title="Companies"
      description="All companies on this Posthouse server."
      noun="companies"
      standardSort="-created"
      rowsPerPage={25}
      skeletonRows={8}
      search="Name, admin, domain, or ID"
      filters={FILTERS}
      controls={({ state, plan }) => (
        <>
          <FilterSelect
            name="plan"
            label="Plan"
            value={plan}
            all="Any plan"
            data={withSelected(
              [
                { value: "none", label: "No plan" },
                ...(plans.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
              ],
              plan,
              "Selected plan",
            )}
          />
          <ChoiceChips name="state" label="Status" value={state} options={COMPANY_STATUSES} />
        </>
      )}
      create={{ label: "Create company", href: "/console/operate/companies/new" }}
      empty={{
        title: "No companies yet",
        children: <Text>Create the first company. Its owner gets a link to set a password.</Text>,
      }}
      columns={[
        {
          area: "name",
          header: "Company",
          kind: "name",
          width: "minmax(0, 5fr)",
          sort: "name",
          cell: ({ id, name }) => (
            <ListRowLink href={`/console/operate/companies/${id}`}>{name}</ListRowLink>
          ),
        },
        {
          area: "state",
          header: "Status",
          kind: "status",
          width: "140px",
          cell: ({ state }) => <Status {...COMPANY_STATUSES[state]} />,
        },
        {
          area: "plan",
          header: "Plan",
          kind: "text",
          width: "minmax(0, 3fr)",
          isOptional: true,
          canHide: true,
          cell: planName,
        },
        {
          area: "month",
          header: "This month",
          kind: "text",
          width: "minmax(0, 4fr)",
          cell: ({ monthRecipients: used, figures: { monthlyAllowance: limit } }) => (
            <span title={`Limit: ${formatLimit(limit)}`}>{formatRecipients(used, limit)}</span>
          ),
        },
        {
          area: "holds",
          header: "Domains, mailboxes",
          kind: "text",
          width: "minmax(0, 3fr)",
          isOptional: true,
          canHide: true,
          cell: ({ domains, mailboxes }) => `${domains}, ${mailboxes}`,
        },
        { ...createdColumn("Created"), isOptional: true },
      ]}
      phone={`"name state" auto "month month" auto / minmax(0, 1fr) auto`}
    />
  );
}
