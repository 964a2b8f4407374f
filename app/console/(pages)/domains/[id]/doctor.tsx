"use client";

import { Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { RECORDS } from "#app/console/(pages)/domains/domain-words.ts";
import {
  type DomainDetail,
  type DomainRecord,
  doctorQuery,
  type RecordProblem,
} from "#app/console/(pages)/domains/queries.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { Diagnosis, ProblemOfRecord } from "./diagnosis.tsx";
import classes from "./doctor.module.css";
import { RecordStatus } from "./record-status.tsx";

/** Record by record: what was expected, what was found, and what to do. What is wrong is open. */
export function Doctor({ domain }: { domain: DomainDetail }) {
  const doctor = useQuery(doctorQuery(domain));
  const problems = doctor.data?.problems ?? null;
  const general = problems?.filter(({ record }) => record === null) ?? [];
  const looked = domain.records.filter(({ type }) => type !== "CNAME");
  return (
    <Panel title="DNS doctor">
      <Text c="dimmed" mb="md" role="status">
        {summaryOf(domain)}
      </Text>
      <FormProblem error={doctor.error} />
      {general.map((problem) => (
        <div key={problem.code} className={classes.general}>
          <ProblemOfRecord problem={problem} value="" />
        </div>
      ))}
      <div className={classes.records}>
        {looked.map((record) => (
          <Entry key={record.kind} record={record} problems={problems} />
        ))}
      </div>
    </Panel>
  );
}

type Examined = { record: DomainRecord; problems: RecordProblem[] | null };

function Entry({ record, problems }: Examined) {
  return (
    <details className={classes.record} open={isOpen(record, problems)}>
      <summary className={classes.summary}>
        <IconChevronRight size={16} className={classes.chevron} aria-hidden="true" />
        <span className={classes.label}>{RECORDS[record.kind].label}</span>
        <RecordStatus record={record} problems={problems} />
      </summary>
      <div className={classes.content}>
        <Diagnosis record={record} problems={problems} />
      </div>
    </details>
  );
}

function isOpen(record: DomainRecord, problems: RecordProblem[] | null): boolean {
  if (record.need === "optional") return false;
  return problems?.some(({ record: kind }) => kind === record.kind) ?? false;
}

function summaryOf({ records, checked_at: checkedAt }: DomainDetail): string {
  if (checkedAt === null) return "Nothing was looked up yet.";
  const needed = records.filter(({ need, is_verified }) => need === "required" && !is_verified);
  if (needed.length === 0) return "Everything that sending needs is in place.";
  const names = needed.map(({ kind }) => RECORDS[kind].label).join(" and ");
  return `${names} must be found before the domain can send.`;
}
