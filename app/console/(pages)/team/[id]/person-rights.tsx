import { throughInWords } from "#app/console/(pages)/team/person-words.ts";
import { wordsOf } from "#app/console/(pages)/team/privilege-words.ts";
import type { PersonDetail, Through } from "#app/console/(pages)/team/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./person-rights.module.css";

/** Every privilege there is: what it allows, and whether and through what this person holds it. */
export function PersonRights({ person }: { person: PersonDetail }) {
  return (
    <Panel title="What can this person do?">
      <RightsTable label="Every privilege, and what gives it" rights={person.rights} />
    </Panel>
  );
}

type Right = { privilege: string; through: Through[] };

export function RightsTable({ label, rights }: { label: string; rights: Right[] }) {
  return (
    <table className={classes.table} aria-label={label}>
      <tbody>
        {rights.map(({ privilege, through }) => {
          const { name, sentence } = wordsOf(privilege);
          return (
            <tr key={privilege} className={classes.row} data-held={through.length > 0}>
              <th scope="row" className={classes.name}>
                {name}
                <span className={classes.sentence}>{sentence}</span>
              </th>
              <td className={classes.held}>
                <Answer through={through} />
              </td>
              <td className={classes.through}>
                {through.map((source) => (
                  <div key={throughInWords(source)}>{throughInWords(source)}</div>
                ))}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Answer({ through }: { through: Through[] }) {
  if (through.length === 0) return <Status meaning="none" word="No" />;
  const isPartial = through.every((source) => source.kind === "role" && source.role.unit !== null);
  return isPartial ? (
    <Status meaning="informing" word="In part" />
  ) : (
    <Status meaning="done" word="Yes" />
  );
}
