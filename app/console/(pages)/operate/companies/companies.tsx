"use client";

import { Text } from "@mantine/core";

import { formatLimit, formatRecipients } from "#app/console/(pages)/operate/plan-limits.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { ChoiceChips, FilterSelect, withSelected } from "#app/console/ui/filter-chips.tsx";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { createdColumn, statusColumn } from "#app/console/ui/list-columns.tsx";
import { anyText, oneOf } from "#app/console/ui/url-filters.ts";

import { COMPANY_STATUSES, type CompanyRow, planName } from "./queries.ts";

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
            all="All plans"
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
      columns={{
        name: {
          header: "Company",
          kind: "name",
          width: "minmax(0, 5fr)",
          sort: "name",
          cell: ({ id, name }) => (
            <ListRowLink href={`/console/operate/companies/${id}`}>{name}</ListRowLink>
          ),
        },
        state: statusColumn("140px", ({ state }: CompanyRow) => COMPANY_STATUSES[state]),
        plan: {
          header: "Plan",
          width: "minmax(0, 3fr)",
          isOptional: true,
          canHide: true,
          cell: planName,
        },
        month: {
          header: "This month",
          width: "minmax(0, 4fr)",
          cell: ({ monthRecipients: used, figures: { monthlyAllowance: limit } }) => (
            <span title={`Limit: ${formatLimit(limit)}`}>{formatRecipients(used, limit)}</span>
          ),
        },
        holds: {
          header: "Domains, mailboxes",
          width: "minmax(0, 3fr)",
          isOptional: true,
          canHide: true,
          cell: ({ domains, mailboxes }) => `${domains}, ${mailboxes}`,
        },
        created: { ...createdColumn("Created"), isOptional: true },
      }}
      phone={`"name state" auto "month month" auto / minmax(0, 1fr) auto`}
    />
  );
}
