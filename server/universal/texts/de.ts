import type { Catalog } from "./format-text.ts";

const ui: Catalog["ui"] = {
  loading: "Wird geladen",
  "loading.noun": "Wird geladen: {noun}",
  "load.failed": "Laden fehlgeschlagen: {noun}",
  "load.forbidden": "Kein Zugriff: {noun}",
  "load.missing":
    "Vielleicht wurde der Eintrag gelöscht, oder er gehört zu einem anderen Unternehmen. Prüfen Sie die Adresse im Browser.",
  retry: "Erneut versuchen",
  "request.id": "Anfrage-ID",
  "request.copied": "Anfrage-ID",
  copy: "Kopieren",
  "copy.label": "{label} kopieren",
  copied: "Kopiert",
  download: "Herunterladen",
  print: "Drucken",
  cancel: "Abbrechen",
  continue: "Weiter",
  name: "Name",
  close: "Schließen",
  newTab: "(neuer Tab)",
  dismiss: "Schließen",
  undo: "Rückgängig",
  "undo.failed": "Das konnte nicht rückgängig gemacht werden. {error}",
  signIn: "Anmelden",
  signOut: "Abmelden",
  "signOut.pending": "Abmeldung läuft …",
  "secret.saved": "Ich habe es gespeichert",
  "qr.page": "QR-Code mit einem Link zu dieser Seite",
  "time.now": "gerade eben",
  bytes: "Byte",
  "leave.title": "Seite verlassen?",
  "leave.confirm": "Seite verlassen",
  "leave.stay": "Hierbleiben",
  "leave.secret":
    "Diese Angaben werden nicht noch einmal angezeigt. Speichern Sie sie, bevor Sie die Seite verlassen.",
  "form.restored": "Ihre Eingaben von vorhin wurden wiederhergestellt.",
  "form.startOver": "Neu beginnen",
  "form.check": "Prüfen Sie die {count} markierten Felder.",
  "form.saveChanges": "Änderungen speichern",
  "check.required": "ist erforderlich",
  "check.address": "muss eine gültige Adresse wie anna@example.com sein",
  "check.repeat": "Die Passwörter stimmen nicht überein.",
  "error.popUp":
    "Ihr Browser hat das Anmeldefenster blockiert. Erlauben Sie Pop-ups für diese Website und versuchen Sie es erneut.",
  "error.timeout":
    "Der Server hat zu lange nicht geantwortet. Ihre Änderung wurde möglicherweise trotzdem gespeichert. Prüfen Sie das, bevor Sie es erneut versuchen.",
  "error.offline": "Der Server ist nicht erreichbar. Prüfen Sie Ihre Internetverbindung.",
  "error.status": "Der Server meldet einen Fehler (HTTP {status})",
  "page.outdated": "Seite neu laden",
  "page.outdated.text":
    "Ein Teil dieser Seite konnte nicht geladen werden. Vielleicht wurde der Server aktualisiert, oder er ist gerade nicht erreichbar.",
  "page.failed": "Etwas ist schiefgelaufen",
  "page.failed.text":
    "Diese Seite konnte nicht angezeigt werden. Bereits gespeicherte Änderungen sind davon nicht betroffen.",
  "page.reload": "Seite neu laden",
  "page.missing": "Seite nicht gefunden",
  "page.missing.text": "Prüfen Sie die Adresse im Browser.",
  "shell.skip": "Zum Inhalt springen",
  "shell.open": "Navigation öffnen",
  "shell.close": "Navigation schließen",
  "shell.stale": "Aktualisieren fehlgeschlagen. Neuer Versuch läuft …",
  "shell.offline":
    "Sie sind offline. Diese Seite ist möglicherweise nicht aktuell. Ihre Eingaben bleiben erhalten.",
  "shell.offline.link":
    "Sie sind offline. Die Seite wird geöffnet, sobald Sie wieder online sind. Ihre Eingaben bleiben erhalten.",
  "user.menu": "Profil, Design und Abmelden",
  theme: "Design",
  "theme.auto": "System",
  "theme.light": "Hell",
  "theme.dark": "Dunkel",
  "use.never": "Noch nie verwendet",
  "use.last": "Zuletzt verwendet: {time}",
  "use.for": ", {protocol}",
  "use.from": ", von {address}",
  scope: "Verwendung",
  "scope.all": "E-Mail, Kalender und Kontakte",
  "scope.mail": "Nur E-Mail",
  "scope.calendar": "Nur Kalender und Kontakte",
  "protocol.imap": "Empfang (IMAP)",
  "protocol.pop3": "Empfang (POP3)",
  "protocol.smtp": "Versand",
  "protocol.sieve": "Filter",
  "protocol.calendar": "Kalender und Kontakte",
  "browser.unknown": "Unbekannter Browser",
  "browser.on": "{browser} ({system})",
  "sso.use": "Single Sign-On verwenden",
  "sso.title": "Single Sign-On",
  "sso.done": "Sie sind angemeldet",
  "sso.done.text": "Schließen Sie dieses Fenster, um dort weiterzumachen, wo Sie waren.",
  "sso.back": "Zurück zur Anmeldung",
  "sso.start":
    "Weiter zum Identitätsanbieter Ihres Unternehmens. Wenn Sie diese Seite nicht selbst geöffnet haben, schließen Sie sie.",
  "sso.pending": "Anmeldung läuft …",
  "sso.direct":
    "Diese Seite lässt sich nicht direkt öffnen. Gehen Sie zurück zur Anmeldung, geben Sie Ihre E-Mail-Adresse ein und wählen Sie „Single Sign-On verwenden“.",
  "sso.denied":
    "Ihr Identitätsanbieter hat Sie nicht angemeldet. Melden Sie sich erneut an oder bitten Sie den zuständigen Administrator um Zugriff auf Posthouse.",
  "sso.failed":
    "Ihr Identitätsanbieter meldet einen Fehler{code}. Bitten Sie den zuständigen Administrator, die Einstellungen für Posthouse zu prüfen.",
  "identity.title": "Identität bestätigen",
  "identity.confirmed": "Sie haben Ihre Identität per Single Sign-On bestätigt.",
  "identity.provider":
    "Bestätigen Sie Ihre Identität, indem Sie sich noch einmal beim Identitätsanbieter Ihres Unternehmens anmelden.",
  "identity.missing": "Bestätigen Sie Ihre Identität, um fortzufahren.",
  "identity.usePassword": "Stattdessen Passwort verwenden",
  "identity.password": "Ihr Passwort",
  password: "Passwort",
  code: "Code",
  "factor.passkey.asked": "Ihr Browser fragt gleich nach Ihrem Passkey.",
  "factor.passkey.use": "Bestätigen Sie Ihre Identität mit einem Ihrer Passkeys.",
  "factor.passkey.button": "Passkey verwenden",
  "factor.code": "Code aus der Authenticator-App",
  "factor.code.hint": "Geben Sie den sechsstelligen Code aus Ihrer Authenticator-App ein.",
  "factor.recovery": "Wiederherstellungscode",
  "factor.recovery.hint":
    "Geben Sie einen Ihrer gespeicherten Wiederherstellungscodes ein. Jeder gilt nur einmal.",
  "factor.other.code": "Stattdessen Authenticator-App verwenden",
  "factor.other.passkey": "Stattdessen Passkey verwenden",
  "factor.other.recovery": "Stattdessen Wiederherstellungscode verwenden",
  "factor.step.code": "Authenticator-App verwenden",
  "factor.step.recovery": "Wiederherstellungscode verwenden",
  "factor.step.password": "Zurück zum Passwort",
  "factor.expired":
    "Ihre Anmeldung ist abgelaufen, oder Sie haben zu oft einen falschen Code eingegeben.",
  signInAgain: "Erneut anmelden",
  on: "Ein",
  off: "Aus",
  twoFactor: "Zwei-Faktor-Authentifizierung",
  "twoFactor.text":
    "Schützen Sie Ihre Anmeldung mit einem zweiten Faktor. Dann reicht ein gestohlenes Passwort allein nicht aus.",
  factors: "Zweite Faktoren",
  totp: "Authenticator-App",
  "totp.ready": "Eingerichtet",
  "totp.setUp": "App einrichten",
  "totp.text":
    "Ein sechsstelliger Code aus einer App wie Google Authenticator, 2FAS oder 1Password.",
  "totp.title": "Authenticator-App einrichten",
  "totp.added": "Authenticator-App hinzugefügt",
  "totp.scan": "Scannen Sie den QR-Code mit Ihrer App oder geben Sie den Schlüssel ein.",
  "totp.qr": "QR-Code für Ihre Authenticator-App",
  "totp.key": "Schlüssel",
  "totp.key.copied": "Schlüssel",
  "totp.phone": "Auf dem Smartphone? <link>App öffnen</link>",
  "totp.code.hint": "Der sechsstellige Code, den Ihre App anzeigt.",
  "totp.verify": "Code prüfen",
  "totp.remove": "Authenticator-App entfernen?",
  "totp.remove.verb": "App entfernen",
  "totp.removed": "Authenticator-App entfernt",
  remove: "Entfernen",
  "remove.name": "{name} entfernen",
  rename: "Umbenennen",
  "rename.name": "{name} umbenennen",
  passkeys: "Passkeys",
  "passkeys.text": "Per Fingerabdruck, Gesichtserkennung, PIN oder Sicherheitsschlüssel.",
  "passkeys.alone": " Mit einem Passkey können Sie sich auch ohne Passwort anmelden.",
  "passkeys.impossible":
    "Passkeys funktionieren nur, wenn diese Website einen Domainnamen und HTTPS verwendet.",
  "passkey.add": "Passkey hinzufügen",
  "passkey.add.title": "Passkey hinzufügen",
  "passkey.add.text": "Ihr Browser fragt, wo der Passkey gespeichert werden soll.",
  "passkey.name.hint": "Damit Sie Ihre Passkeys unterscheiden können.",
  "passkey.pending": "Warten auf den Browser …",
  "passkey.added": "Passkey hinzugefügt",
  "passkey.unused": "Hinzugefügt: {added}, noch nie verwendet",
  "passkey.used": "Hinzugefügt: {added}, zuletzt verwendet: {used}",
  "passkey.rename": "Passkey umbenennen",
  "passkey.renamed": "Passkey umbenannt",
  "passkey.remove": "Passkey {name} entfernen?",
  "passkey.remove.verb": "Passkey entfernen",
  "passkey.removed": "Passkey {name} entfernt",
  "passkey.exists": "Auf diesem Gerät ist bereits einer Ihrer Passkeys gespeichert.",
  "passkey.canceled":
    "Die Passkey-Anfrage wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es erneut.",
  "passkey.failed":
    "Dieser Browser konnte keinen Passkey verwenden. Versuchen Sie es mit einem anderen Browser oder melden Sie sich auf andere Weise an.",
  "factor.only":
    "Dies ist Ihr einziger zweiter Faktor, und Ihr Unternehmen schreibt einen vor. Fügen Sie zuerst einen weiteren hinzu.",
  "factor.removesLast":
    "Danach melden Sie sich nur noch mit Ihrem Passwort an. Auch Ihre Wiederherstellungscodes werden gelöscht.",
  "factor.removesOne":
    "Damit können Sie sich dann nicht mehr anmelden. Ihre anderen Faktoren gelten weiter.",
  recovery: "Wiederherstellungscodes",
  "recovery.left":
    "Noch {left} von 10. Damit melden Sie sich an, wenn Sie Ihre Geräte verlieren. Jeder Code gilt nur einmal.",
  "recovery.none": "Keine übrig",
  "recovery.few": "Nur noch wenige",
  "recovery.new": "Neue Codes erstellen",
  "recovery.new.title": "Neue Wiederherstellungscodes erstellen?",
  "recovery.new.text": "Sie erhalten zehn neue Codes. Die bisherigen Codes gelten dann nicht mehr.",
  "recovery.save": "Wiederherstellungscodes speichern",
  "recovery.save.text":
    "Wenn Sie Ihre Authenticator-App oder Ihren Passkey verlieren, melden Sie sich mit einem dieser Codes an. Jeder gilt nur einmal. Die Codes werden nicht noch einmal angezeigt.",
  "recovery.saved": "Ich habe die Codes gespeichert",
  "recovery.sheet": "Wiederherstellungscodes für {host}",
};

const account: Catalog["account"] = {
  mailbox: "Postfach",
  home: "Zum Postfach",
  incoming: "Eingehende E-Mails",
  security: "Sicherheit",
  overview: "Übersicht",
  webmail: "Webmail",
  "webmail.open": "Webmail öffnen",
  setUp: "Mail-Apps einrichten",
  filters: "Filter",
  forwarding: "Weiterleitung",
  vacation: "Abwesenheitsnotiz",
  quarantine: "Quarantäne",
  "twoFactor.short": "Zwei-Faktor",
  appPasswords: "App-Passwörter",
  sessions: "Sitzungen",
  "noun.mailbox": "Ihr Postfach",
  "noun.link": "dieser Link",
  "noun.settings": "die Einstellungen",
  "noun.factors": "Ihre zweiten Faktoren",
  "noun.rules": "Ihre Regeln",
  "noun.filters": "Ihre Filter",
  "noun.scripts": "Ihre Skripte",
  "noun.forwarding": "Ihre Weiterleitung",
  "noun.vacation": "Ihre Abwesenheitsnotiz",
  "noun.quarantine": "Ihre Quarantäne",
  "noun.appPasswords": "Ihre App-Passwörter",
  "noun.sessions": "Ihre Sitzungen",
  address: "Adresse",
  email: "E-Mail-Adresse",
  saved: "Gespeichert.",
  "signIn.title": "Ihr Postfach",
  "signIn.text":
    "Melden Sie sich mit E-Mail-Adresse und Passwort an oder über den Identitätsanbieter Ihres Unternehmens.",
  "signIn.password.hint": "Ihr Postfach-Passwort oder das vorläufige Passwort.",
  "signIn.forgot":
    "Passwort vergessen? Bitten Sie einen Administrator Ihres Unternehmens um ein vorläufiges. <link>Einstellungen für Mail-Apps</link>",
  "signInAgain.text":
    "Ihre Sitzung ist abgelaufen. Melden Sie sich als <b>{address}</b> an, um fortzufahren. Nicht gespeicherte Änderungen bleiben erhalten.",
  "signInAgain.leave": "Seite verlassen",
  "password.current": "Aktuelles Passwort",
  "password.temporary": "Vorläufiges Passwort",
  "password.new": "Neues Passwort",
  "password.repeat": "Neues Passwort wiederholen",
  "password.set": "Passwort festlegen",
  "password.hint":
    "Mindestens {min} Zeichen, ohne Ihren Namen oder Ihre Adresse. Ein paar Wörter ohne Zusammenhang kann man sich gut merken.",
  "password.replace": "Neues Passwort festlegen",
  "password.replace.text":
    "Ihr Passwort ist nur vorläufig. Mail-Apps können sich erst anmelden, wenn Sie ein neues festgelegt haben.",
  "password.choose": "Passwort wählen",
  "password.choose.text": "Für Ihr Postfach {address}. Sie brauchen es hier und in Mail-Apps.",
  "password.expired": "Dieser Link ist nicht mehr gültig",
  "password.expired.text":
    "Er ist abgelaufen oder wurde schon verwendet. Wenn Sie sich nicht anmelden können, bitten Sie den Administrator Ihres Unternehmens, Ihr Passwort zurückzusetzen.",
  "password.text":
    "Damit melden Sie sich hier an und in Mail-Apps, für die Sie kein App-Passwort verwenden.",
  "password.changed":
    "Passwort geändert. Sie wurden überall sonst abgemeldet. Geben Sie das neue Passwort in den Mail-Apps ein, die das alte verwendet haben.",
  "password.effect":
    "Wenn Sie Ihr Passwort ändern, werden alle anderen Sitzungen beendet. App-Passwörter gelten weiter.",
  "twoFactor.description":
    "Ein Code oder Passkey, zusätzlich zum Passwort, wenn Sie sich hier anmelden.",
  "twoFactor.apps":
    "Mail-Apps können keinen zweiten Faktor abfragen. Solange die Zwei-Faktor-Authentifizierung eingeschaltet ist, gilt Ihr Passwort in Mail-Apps nicht. Erstellen Sie für jede App ein <link>App-Passwort</link>.",
  "twoFactor.apps.none":
    "Mail-Apps können keinen zweiten Faktor abfragen. Da Ihr Unternehmen keine App-Passwörter erlaubt, verwenden Mail-Apps weiterhin Ihr Passwort.",
  "identity.reason":
    "Durch diese Änderung könnten andere Ihre E-Mails lesen. Bestätigen Sie deshalb Ihre Identität. Sie erhalten eine E-Mail über die Änderung.",
  "appPasswords.text":
    "Geben Sie jeder Mail-App ein eigenes Passwort. App-Passwörter gelten nur in Mail-Apps, und Sie können jedes einzeln widerrufen.",
  "appPasswords.create": "App-Passwort erstellen",
  "appPasswords.forbidden":
    "Ihr Unternehmen erlaubt keine App-Passwörter. Verwenden Sie in Mail-Apps Ihr Postfach-Passwort.",
  "appPasswords.forbidden.sso":
    "Ihr Unternehmen schreibt Single Sign-On vor und erlaubt keine App-Passwörter. Mail-Apps können sich deshalb nicht bei Ihrem Postfach anmelden.",
  "appPasswords.none": "Noch keine App-Passwörter",
  "appPasswords.none.text":
    "Erstellen Sie eines für jedes Gerät und jede App. Wenn Sie ein Gerät verlieren, widerrufen Sie dessen Passwort. Die anderen gelten weiter.",
  "appPasswords.secret": "Ihr App-Passwort",
  "appPasswords.secret.text":
    "Geben Sie es in Ihrer Mail-App anstelle Ihres Postfach-Passworts ein. Es wird nicht noch einmal angezeigt.",
  "appPasswords.name.hint": "Daran erkennen Sie es später wieder.",
  "appPasswords.name.example": "Thunderbird auf dem Laptop",
  "appPasswords.revoke": "Widerrufen",
  "appPasswords.revoke.name": "{name} widerrufen",
  "appPasswords.revoke.title": "{name} widerrufen?",
  "appPasswords.revoke.confirm": "App-Passwort widerrufen",
  "appPasswords.revoke.text":
    "Die App, die es verwendet, wird sofort abgemeldet. Ihre anderen Apps werden kurz getrennt und verbinden sich von selbst wieder.",
  "appPasswords.created": "Erstellt: {time}",
  "sessions.text": "Browser und Mail-Apps, die bei Ihrem Postfach angemeldet sind.",
  "sessions.endOthers": "Andere Sitzungen beenden",
  "sessions.endOthers.title": "Andere Sitzungen beenden?",
  "sessions.endOthers.text":
    "In anderen Browsern müssen Sie sich neu anmelden. Mail-Apps werden abgemeldet, melden sich aber von selbst wieder an, wenn ihr Passwort noch gilt.",
  "sessions.browsers": "Browser",
  "sessions.apps": "Mail-Apps",
  "sessions.apps.text":
    "Eine App mit gültigem Passwort meldet sich von selbst wieder an. Um das zu verhindern, widerrufen Sie ihr App-Passwort oder ändern Sie Ihr Passwort.",
  "sessions.apps.unavailable":
    "Die Sitzungen von Mail-Apps lassen sich gerade nicht anzeigen, weil der Mailserver nicht antwortet.",
  "sessions.apps.none": "Keine Mail-App ist angemeldet.",
  "sessions.apps.end": "Sitzungen beenden",
  "sessions.apps.end.name": "Sitzungen von {address} beenden",
  "sessions.connections": {
    one: "{count} Verbindung: {protocols}",
    other: "{count} Verbindungen: {protocols}",
  },
  "sessions.this": "Diese Sitzung",
  "sessions.end": "Sitzung beenden",
  "sessions.end.name": "Sitzung von {name} beenden",
  "sessions.signedIn": "Angemeldet: {time}",
  "sessions.signedIn.from": "Von {address}, angemeldet: {time}",
  "overview.setUp": "Mail-App einrichten",
  "overview.address.copied": "Adresse",
  "overview.aliases": "Alias-Adressen",
  "overview.change": "Ändern",
  "overview.change.name": "Ändern: {title}",
  "overview.filters.none": "Keine Filter",
  "overview.filters.on": "{on} eingeschaltet",
  "overview.filters.mixed": "{on} eingeschaltet, {off} ausgeschaltet",
  "overview.forwarding.none": "Keine Weiterleitungsadressen",
  "overview.forwarding.copy": "An {addresses}, eine Kopie bleibt hier",
  "overview.forwarding.noCopy": "An {addresses}, ohne Kopie",
  "overview.storage": "Belegter Speicher",
  "overview.storage.used": {
    one: "{used} von {quota} belegt, {count} E-Mail",
    other: "{used} von {quota} belegt, {count} E-Mails",
  },
  "overview.storage.full":
    "Ihr Postfach ist voll. Die Server der Absender versuchen die Zustellung noch einige Tage lang und schicken neue E-Mails dann zurück. Schaffen Sie Platz, um sie zu empfangen.",
  "overview.storage.nearlyFull":
    "Ihr Postfach ist fast voll. Löschen Sie E-Mails, die Sie nicht mehr brauchen, oder bitten Sie einen Administrator um mehr Speicher.",
  language: "Sprache",
  "language.text": "Für diese Seiten und für E-Mails an Sie, die Ihr Postfach betreffen.",
  "language.browser": "Sprache Ihres Browsers",
  "filters.text":
    "Verschieben, markieren oder löschen Sie E-Mails automatisch, sobald sie eintreffen.",
  "filters.create": "Filter erstellen",
  "filters.edit": "Filter bearbeiten",
  "filters.save": "Filter speichern",
  "filters.order":
    "Filter, die E-Mails markieren oder als gelesen kennzeichnen, gelten immer. Von den Filtern, die E-Mails verschieben oder löschen, gilt nur der erste passende. Gelöschte E-Mails werden nicht weitergeleitet. Spam landet schon vorher im Spam-Ordner.",
  "filters.none": "Noch keine Filter",
  "filters.none.text":
    "Legen Sie Rechnungen in einem Ordner ab, markieren Sie E-Mails Ihrer Vorgesetzten oder löschen Sie Newsletter, die Sie nie lesen.",
  "filters.scripts": "Skripte aus Mail-Apps",
  "filters.scripts.none":
    "Keine Skripte. Mail-Apps, die ManageSieve unterstützen, können welche hinzufügen.",
  "filters.scripts.active": "Aktiv",
  "filters.scripts.inactive": "Inaktiv",
  "filters.scripts.text":
    "Das aktive Skript läuft zusätzlich zu den Filtern oben. Bearbeiten können Sie es in der App, die es angelegt hat.",
  "filters.isOn": "{name} ist eingeschaltet",
  "filters.up": "Nach oben",
  "filters.up.name": "{name} nach oben",
  "filters.down": "Nach unten",
  "filters.down.name": "{name} nach unten",
  "filters.edit.short": "Bearbeiten",
  "filters.edit.name": "{name} bearbeiten",
  "filters.delete.short": "Löschen",
  "filters.delete.name": "{name} löschen",
  "filters.delete.title": "{name} löschen?",
  "filters.delete": "Filter löschen",
  "filters.delete.text": "Bereits verschobene E-Mails bleiben, wo sie sind.",
  "filters.name.example": "Rechnungen",
  "filters.match": "Trifft zu, wenn",
  "filters.match.all": "alle Bedingungen erfüllt sind",
  "filters.match.any": "eine der Bedingungen erfüllt ist",
  "filters.match.all.join": " und ",
  "filters.match.any.join": " oder ",
  "filters.condition": "Bedingung {number}",
  "filters.condition.field": "Feld von Bedingung {number}",
  "filters.condition.test": "Vergleich von Bedingung {number}",
  "filters.condition.value": "Wert von Bedingung {number}",
  "filters.condition.remove": "Bedingung {number} entfernen",
  "filters.condition.add": "Bedingung hinzufügen",
  "filters.condition.never":
    "Das trifft nie zu. Geben Sie eine vollständige Adresse wie anna@example.com ein oder verwenden Sie „enthält“.",
  "filters.from": "Absender",
  "filters.to": "Empfänger (An oder Cc)",
  "filters.subject": "Betreff",
  "filters.contains": "enthält",
  "filters.is": "ist genau",
  "filters.from.contains": "Absender enthält „{value}“",
  "filters.from.is": "Absender ist genau „{value}“",
  "filters.to.contains": "Empfänger (An oder Cc) enthält „{value}“",
  "filters.to.is": "Empfänger (An oder Cc) ist genau „{value}“",
  "filters.subject.contains": "Betreff enthält „{value}“",
  "filters.subject.is": "Betreff ist genau „{value}“",
  "filters.action": "Aktion",
  "filters.file": "In einen Ordner verschieben",
  "filters.file.to": "Nach „{folder}“ verschieben",
  "filters.flag": "Markieren",
  "filters.read": "Als gelesen kennzeichnen",
  "filters.discard": "Löschen",
  "filters.discard.text":
    "Gelöschte E-Mails landen nicht im Papierkorb und lassen sich nicht wiederherstellen.",
  "filters.folder": "Ordner",
  "filters.folder.hint":
    "Wird angelegt, falls er noch nicht existiert. Trennen Sie Unterordner mit /.",
  "filters.folder.example": "Rechnungen/2026",
  "forwarding.text": "Leiten Sie eingehende E-Mails an andere Adressen weiter.",
  "forwarding.suspended": "Die Weiterleitung an {address} ist ausgesetzt",
  "forwarding.suspended.text":
    "Mehrere E-Mails in Folge konnten an diese Adresse nicht zugestellt werden. Letzter Fehler: {reason} Neue E-Mails bleiben in diesem Postfach.",
  "forwarding.resume": "Weiterleitung fortsetzen",
  "forwarding.resume.name": "Weiterleitung an {address} fortsetzen",
  "forwarding.waiting": "Wartet auf die Bestätigung von {address}",
  "forwarding.waiting.text":
    "Wir haben dieser Adresse am {day} einen Link geschickt. Neue E-Mails bleiben in diesem Postfach.",
  "forwarding.waiting.unasked":
    "Es wurde noch keine Anfrage gesendet. Neue E-Mails bleiben in diesem Postfach.",
  "forwarding.inactive": "Inaktiv",
  "forwarding.declined": "{address} hat abgelehnt",
  "forwarding.declined.text":
    "An diese Adresse soll nichts weitergeleitet werden. Neue E-Mails bleiben in diesem Postfach.",
  "forwarding.resend": "Anfrage erneut senden",
  "forwarding.resend.name": "Anfrage an {address} erneut senden",
  "forwarding.resent": "Anfrage gesendet",
  "forwarding.addresses": "Adressen",
  "forwarding.to": "Weiterleiten an",
  "forwarding.to.hint": "Bis zu {max} Adressen. Ohne Adresse ist die Weiterleitung ausgeschaltet.",
  "forwarding.address": "Adresse {number}",
  "forwarding.remove": "{address} entfernen",
  "forwarding.remove.empty": "Leeres Feld entfernen",
  "forwarding.add": "Adresse hinzufügen",
  "forwarding.copy": "Eine Kopie in diesem Postfach behalten",
  "forwarding.noCopy":
    "In diesem Postfach bleibt dann keine Kopie. E-Mails, die nicht weitergeleitet werden können, kommen hier an.",
  "forwarding.anywhere":
    "Wer Zugriff auf diese Adressen hat, kann alle E-Mails an dieses Postfach lesen. Spam wird nicht weitergeleitet.",
  "forwarding.inside":
    "Ihr Unternehmen erlaubt Weiterleitungen nur innerhalb des Unternehmens. Spam wird nicht weitergeleitet.",
  "forwarding.saved": "Gespeichert. E-Mails werden jetzt weitergeleitet.",
  "forwarding.saved.waiting":
    "Gespeichert. E-Mails werden an die Adressen weitergeleitet, die zugestimmt haben.",
  "forwarding.saved.off": "Gespeichert. Die Weiterleitung ist ausgeschaltet.",
  "vacation.text": "Antworten Sie automatisch, wenn Ihnen jemand schreibt.",
  "vacation.first": "Erster Tag",
  "vacation.first.hint": "Leer lassen, um sofort zu beginnen.",
  "vacation.last": "Letzter Tag",
  "vacation.last.hint": "Leer lassen, wenn das Ende offen ist.",
  "vacation.order": "darf nicht vor dem ersten Tag liegen",
  "vacation.message": "Nachricht",
  "vacation.saved": "Gespeichert. {state}.",
  "vacation.send": "Abwesenheitsnotiz senden",
  "vacation.zone": "Die Tage beginnen und enden um Mitternacht in Ihrer Zeitzone ({zone}).",
  "vacation.subject.example": "Abwesend bis 5. Januar",
  "vacation.message.example":
    "Vielen Dank für Ihre Nachricht. Ich bin bis 5. Januar nicht im Büro. Bis dahin erreichen Sie uns unter team@example.com.",
  "vacation.limits":
    "Jeder Absender erhält höchstens alle 7 Tage eine Antwort. Posthouse antwortet nur, wenn eine Adresse des Postfachs unter An oder Cc steht, und nie auf E-Mails von Mailinglisten, automatische E-Mails oder Spam.",
  "vacation.off": "Keine Abwesenheitsnotiz",
  "vacation.ended": "Beendet",
  "vacation.ended.text": "Die Abwesenheitsnotiz wurde bis {day} gesendet",
  "vacation.scheduled": "Geplant",
  "vacation.from": "Die Abwesenheitsnotiz wird ab {from} gesendet",
  "vacation.fromUntil": "Die Abwesenheitsnotiz wird von {from} bis {until} gesendet",
  "vacation.now": "Die Abwesenheitsnotiz wird gesendet",
  "vacation.until": "Die Abwesenheitsnotiz wird bis {until} gesendet",
  "quarantine.text":
    "E-Mails an Sie, die nach Spam aussehen oder einen Virus enthalten. Sie werden 30 Tage nach dem Eintreffen gelöscht.",
  "quarantine.hidden": "Ihre Quarantäne ist nicht verfügbar",
  "quarantine.hidden.text":
    "Die Administratoren Ihres Unternehmens prüfen E-Mails in Quarantäne. Wenden Sie sich an sie, wenn Sie eine E-Mail vermissen.",
  "quarantine.none": "Keine E-Mails in Quarantäne",
  "quarantine.none.text": "Hier erscheinen E-Mails, die nicht in Ihren Posteingang gelangt sind.",
  "quarantine.list": "E-Mails in Quarantäne, die neuesten zuerst",
  "quarantine.release": "Freigeben",
  "quarantine.release.name": "{subject} freigeben",
  "quarantine.release.title": "Diese E-Mail freigeben?",
  "quarantine.release.confirm": "E-Mail freigeben",
  "quarantine.release.text":
    "„{subject}“ von {sender} sieht nach Spam aus. Geben Sie die E-Mail nur frei, wenn Sie den Absender kennen und sie erwartet haben.",
  "quarantine.released": "E-Mail freigegeben. Sie ist gleich in Ihrem Posteingang.",
  "quarantine.noSubject": "(kein Betreff)",
  "quarantine.noSender": "(kein Absender)",
  "quarantine.entry": "Von {sender}, {time}. {reason}",
  "quarantine.virus": "Enthält einen Virus; nur ein Administrator kann sie freigeben.",
  "quarantine.spam": "Sieht nach Spam aus.",
  "quarantine.spam.admin": "Sieht nach Spam aus; nur ein Administrator kann sie freigeben.",
  "setUp.text": "Die meisten Apps finden diese Einstellungen anhand Ihrer E-Mail-Adresse.",
  "setUp.byApp": "Nach App",
  "setUp.phone": "Auf dem Smartphone",
  "setUp.phone.text":
    "Richten Sie die Kamera Ihres Smartphones auf den Code. Er öffnet eine Seite mit den Einstellungen zum Kopieren und, für iPhones und iPads, einem Konfigurationsprofil.",
  "setUp.all": "Alle Einstellungen",
  "setUp.user": "Der Benutzername ist Ihre vollständige E-Mail-Adresse.",
  "setUp.either": "Das Passwort ist Ihr Postfach-Passwort oder ein App-Passwort.",
  "setUp.mailbox": "Das Passwort ist Ihr Postfach-Passwort.",
  "setUp.none":
    "Ihr Unternehmen schreibt Single Sign-On vor und erlaubt keine App-Passwörter. Mail-Apps können sich deshalb nicht bei Ihrem Postfach anmelden.",
  "setUp.better":
    "Das Passwort ist Ihr Postfach-Passwort oder, besser, ein <link>App-Passwort</link> für diese App.",
  "setUp.app": "Das Passwort ist ein <link>App-Passwort</link> für diese App.",
  "setUp.profile": "Profil herunterladen",
  "setUp.table": "Einstellungen",
  "setUp.for": "Zweck",
  "setUp.server": "Server",
  "setUp.port": "Port",
  "setUp.security": "Sicherheit",
  "setUp.imap": "Empfang (IMAP)",
  "setUp.smtp": "Versand (SMTP)",
  "setUp.pop3": "Empfang (POP3)",
  "setUp.sieve": "Filter (ManageSieve)",
  "setUp.dav": "Kalender und Kontakte (CalDAV, CardDAV)",
  "setUp.dav.text":
    "Für Kalender und Kontakte brauchen die meisten Apps nur den Server, den Benutzernamen und das Passwort. Verwenden Sie unter Android eine App wie DAVx⁵.",
  "setUp.alternative": "{label}, Alternative",
  "setUp.copied": "Server für {label}",
  "setUp.otherApps": "Andere Apps",
  "setUp.outlook.1":
    "Öffnen Sie „Datei“ und dann „Konto hinzufügen“. Im neuen Outlook: „Einstellungen“, „Konten“, „Konto hinzufügen“.",
  "setUp.outlook.2":
    "Geben Sie {address} ein und wählen Sie „Verbinden“. Outlook findet die Einstellungen automatisch.",
  "setUp.outlook.3": "Geben Sie Ihr Passwort ein, wenn Outlook danach fragt.",
  "setUp.outlook.4":
    "Falls Outlook nach dem Kontotyp fragt, wählen Sie IMAP und geben Sie die Einstellungen unten ein.",
  "setUp.thunderbird.1": "Öffnen Sie das Menü und dann „Neues Konto“, „E-Mail“.",
  "setUp.thunderbird.2":
    "Geben Sie Ihren Namen, {address} und Ihr Passwort ein und wählen Sie „Weiter“.",
  "setUp.thunderbird.3": "Thunderbird findet die Einstellungen. Wählen Sie IMAP und dann „Fertig“.",
  "setUp.apple.1": "Laden Sie das Profil auf Ihrem iPhone, iPad oder Mac herunter.",
  "setUp.apple.2":
    "Öffnen Sie die Einstellungen. Das Profil steht ganz oben, auf einem Mac unter „Allgemein“, „Geräteverwaltung“.",
  "setUp.apple.3":
    "Wählen Sie „Installieren“ und geben Sie Ihr Passwort ein, wenn Sie danach gefragt werden.",
  "setUp.apple.4":
    "Ohne Profil: „Einstellungen“, „Apps“, „Mail“, „Mail-Accounts“, „Account hinzufügen“, „Andere“ und die Einstellungen unten.",
  "setUp.android.1":
    "In Gmail: Ihr Profilbild, „Weiteres Konto hinzufügen“, „Sonstige“. In anderen Apps: Fügen Sie ein Konto hinzu.",
  "setUp.android.2":
    "Geben Sie {address} ein, wählen Sie „Privat (IMAP)“ und geben Sie Ihr Passwort ein.",
  "setUp.android.3":
    "Geben Sie die Server unten ein, wenn Sie danach gefragt werden, und wählen Sie SSL/TLS als Sicherheitstyp.",
  "setUp.other.1":
    "Fügen Sie ein Konto mit {address} hinzu. Viele Apps finden die Einstellungen automatisch.",
  "setUp.other.2": "Andernfalls wählen Sie IMAP und geben die Einstellungen unten ein.",
  connect: "Mail-App verbinden",
  "connect.text": "Hier finden Sie die Einstellungen für Ihre E-Mail-Adresse.",
  "connect.show": "Einstellungen anzeigen",
  "connect.unknown":
    "Dieser Server ist für die Domain dieser Adresse nicht zuständig. Prüfen Sie die Adresse.",
  "connect.signIn":
    "<link>Melden Sie sich an</link>, um ein App-Passwort zu erstellen und Ihre Filter und Sitzungen zu verwalten.",
};

const mail: Catalog["mail"] = {
  "password_changed.subject": "Ihr Passwort wurde geändert",
  "password_changed.text":
    "Ihr Posthouse-Passwort wurde geändert, und alle Ihre anderen Sitzungen wurden beendet.",
  "totp_added.subject": "Eine Authenticator-App wurde hinzugefügt",
  "totp_added.text":
    "Eine Authenticator-App wurde hinzugefügt. Ab jetzt brauchen Sie bei jeder Anmeldung einen Code aus dieser App.",
  "totp_removed.subject": "Ihre Authenticator-App wurde entfernt",
  "totp_removed.text":
    "Ihre Authenticator-App wurde entfernt. Sie brauchen deren Codes nicht mehr, um sich anzumelden.",
  "passkey_added.subject": "Ein Passkey wurde hinzugefügt",
  "passkey_added.text": "Ein Passkey wurde hinzugefügt. Sie können sich jetzt damit anmelden.",
  "passkey_removed.subject": "Ein Passkey wurde entfernt",
  "passkey_removed.text": "Ein Passkey wurde entfernt. Sie können sich damit nicht mehr anmelden.",
  "recovery_codes_replaced.subject": "Ihre Wiederherstellungscodes wurden ersetzt",
  "recovery_codes_replaced.text":
    "Neue Wiederherstellungscodes wurden erstellt. Die alten gelten nicht mehr.",
  "all_removed.subject": "Ihre zweiten Faktoren wurden entfernt",
  "all_removed.text":
    "Ein Administrator hat Ihre zweiten Faktoren und Wiederherstellungscodes entfernt und Sie überall abgemeldet. Bis Sie wieder einen zweiten Faktor hinzufügen, melden Sie sich nur mit Ihrem Passwort an.",
  "app_password_created.subject": "Ein App-Passwort wurde erstellt",
  "app_password_created.text":
    "Ein App-Passwort wurde erstellt. Eine App kann sich jetzt damit anmelden.",
  "forwarding_changed.subject": "Ihre Weiterleitung wurde geändert",
  "forwarding_changed.text":
    "Ihre E-Mails werden jetzt an eine andere Adresse weitergeleitet, oder es bleiben keine Kopien weitergeleiteter E-Mails mehr in Ihrem Postfach.",
  "notice.account": "Das betrifft {account} bei {host}.",
  "notice.advice":
    "Wenn Sie das selbst veranlasst haben, müssen Sie nichts tun. Wenn nicht, ändern Sie sofort Ihr Passwort, prüfen Sie Ihre zweiten Faktoren, App-Passwörter, Weiterleitungen und Sitzungen und informieren Sie einen Administrator Ihres Unternehmens.",
  "notice.two-factor": "Zwei-Faktor-Authentifizierung prüfen",
  "notice.app-passwords": "App-Passwörter prüfen",
  "notice.forwarding": "Weiterleitung prüfen",
  "notice.footer": "Sie erhalten diese E-Mail, weil sie die Anmeldung bei {mailbox} betrifft.",
  "welcome.subject": "Ihre neue E-Mail-Adresse {mailbox}",
  "welcome.text":
    "{sender} hat bei {company} das Postfach {mailbox} für Sie angelegt. Öffnen Sie den Link unten, um Ihr Passwort zu wählen.",
  "welcome.link":
    "Der Link funktioniert einmal und läuft nach {days} Tagen ab, oder wenn Sie einen neueren erhalten. Geben Sie ihn nicht weiter: Wer ihn öffnet, kann Ihr Passwort festlegen.",
  "welcome.next": "Melden Sie sich danach unter {url} an, um Ihre Mail-App zu verbinden.",
  "welcome.button": "Passwort wählen",
  "welcome.footer":
    "Sie erhalten diese E-Mail, weil {sender} Ihre Adresse bei {host} eingegeben hat. Ihre Antwort geht an diese Person. Wenn Sie sie nicht kennen, ignorieren Sie diese E-Mail.",
  "digest.quarantined": {
    one: "{count} E-Mail in Quarantäne",
    other: "{count} E-Mails in Quarantäne",
  },
  "digest.held": {
    one: "{count} von Ihnen gesendete E-Mail angehalten",
    other: "{count} von Ihnen gesendete E-Mails angehalten",
  },
  "digest.both": {
    one: "{count} E-Mail in Quarantäne, {held} angehalten",
    other: "{count} E-Mails in Quarantäne, {held} angehalten",
  },
  "digest.quarantine": "In Quarantäne",
  "digest.quarantine.text":
    "Diese E-Mails an {address} wurden nicht zugestellt, weil sie nach Spam aussehen oder einen Virus enthalten. Sie werden 30 Tage nach dem Eintreffen gelöscht.",
  "digest.release.self":
    "Geben Sie eine E-Mail frei, um sie in Ihrem Posteingang zu erhalten. E-Mails mit Viren kann nur ein Administrator freigeben.",
  "digest.release.admin":
    "Wenn Sie eine davon erwarten, bitten Sie einen Administrator von {company}, sie freizugeben.",
  "digest.hold": "Angehalten",
  "digest.hold.text":
    "Ein Administrator muss diese von Ihnen gesendeten E-Mails erst prüfen, weil Ihr Postfach ungewöhnliche E-Mails gesendet hat. Falls sie nicht von Ihnen stammen, ändern Sie jetzt Ihr Passwort und informieren Sie einen Administrator.",
  "digest.noSubject": "(kein Betreff)",
  "digest.noSender": "(kein Absender)",
  "digest.from": "Von {sender}",
  "digest.to": "An {recipients}",
  "digest.to.more": "An {recipients} und {more} weitere",
  "digest.spam": "{time}, Spam",
  "digest.virus": "{time}, Virus",
  "digest.release": "Freigeben",
  "digest.more": "Es gibt mehr E-Mails, als hier aufgeführt sind.",
  "digest.yours": "Ihre Quarantäne: {url}",
  "digest.open": "Quarantäne öffnen",
  "digest.footer":
    "Sie erhalten diese E-Mail einmal täglich, solange es neue Einträge gibt, weil Ihr Unternehmen Quarantäne-Übersichten eingeschaltet hat.",
  "release.title": "Diese E-Mail freigeben?",
  "release.text":
    "Sie ist in Quarantäne, weil sie nach Spam aussieht. Geben Sie sie nur frei, wenn Sie den Absender kennen und sie erwartet haben.",
  "release.button": "E-Mail freigeben",
  "release.done": "E-Mail freigegeben",
  "release.done.text": "{subject} wird gleich an {mailbox} zugestellt.",
  "release.expired": "Dieser Link ist abgelaufen",
  "release.expired.text":
    "Links zum Freigeben gelten 14 Tage. Wenn die E-Mail noch in Quarantäne ist, bitten Sie einen Administrator, sie freizugeben.",
  "release.gone": "Die E-Mail ist nicht in Quarantäne",
  "release.gone.text":
    "Sie wurde bereits freigegeben oder gelöscht. Wenn Sie sie weiterhin vermissen, fragen Sie einen Administrator.",
  "release.not_allowed": "Nur ein Administrator kann diese E-Mail freigeben",
  "release.not_allowed.text": "Bitten Sie einen Administrator Ihres Unternehmens, sie freizugeben.",
  "release.failed": "Noch nicht freigegeben",
  "release.failed.text": "Etwas ist schiefgelaufen. Versuchen Sie es in einigen Minuten erneut.",
  contacts: "Kontakte",
  "link.unknown": "Dieser Link funktioniert nicht",
  "link.unknown.text":
    "Vielleicht fehlt ein Teil des Links. Klicken Sie noch einmal auf den Link in der E-Mail oder kopieren Sie ihn vollständig.",
  "webmail.down": "Webmail ist gerade nicht verfügbar",
  "webmail.down.text":
    "Ihre E-Mails sind sicher, und E-Mail-Programme funktionieren wie gewohnt. Versuchen Sie es in einigen Minuten erneut.",
};

const sheet: Catalog["sheet"] = {
  label: "Willkommensblatt für {address}",
  title: "Ihr Postfach",
  welcome: "Willkommen, {name}. Hier finden Sie alles, was Sie für den Start brauchen.",
  address: "Adresse",
  password: "Vorläufiges Passwort",
  signIn: "Neues Passwort festlegen",
  "signIn.text":
    "Öffnen Sie {url} in einem Browser, melden Sie sich mit der Adresse und dem vorläufigen Passwort an und legen Sie ein neues fest. Danach können Sie sich in Mail-Apps anmelden.",
  connect: "Smartphone und Mail-App verbinden",
  "connect.text":
    "Scannen Sie den Code mit der Kamera Ihres Smartphones, um die Einstellungen zu öffnen. Auf einem iPhone oder iPad können Sie ein Profil installieren, das alles für Sie einträgt. Outlook und Thunderbird finden die Einstellungen automatisch; in anderen Apps geben Sie die Einstellungen unten ein.",
  qr: "QR-Code, der die Einstellungen auf dem Smartphone öffnet",
  imap: "Empfang (IMAP)",
  pop3: "Empfang (POP3)",
  smtp: "Versand (SMTP)",
  dav: "Kalender und Kontakte",
  for: "Zweck",
  server: "Server",
  port: "Port",
  security: "Sicherheit",
  foot: "Der Benutzername ist Ihre vollständige E-Mail-Adresse. Niemand wird Sie je nach Ihrem Passwort fragen. Vernichten Sie dieses Blatt, sobald Sie ein neues Passwort festgelegt haben.",
};

const errors: Catalog["errors"] = {
  "is required": "ist erforderlich",
  "is incorrect": "ist falsch",
  "is incorrect or was already used": "ist falsch oder wurde schon verwendet",
  "must have at least {min} characters": "muss mindestens {min} Zeichen haben",
  "must have at most {max} characters": "darf höchstens {max} Zeichen haben",
  "must use at least {count} different characters":
    "muss mindestens {count} verschiedene Zeichen enthalten",
  'must not contain "{word}", which is easy to guess':
    "darf nicht „{word}“ enthalten, das ist leicht zu erraten",
  "is too easy to guess. Use a few unrelated words instead":
    "ist zu leicht zu erraten. Verwenden Sie ein paar Wörter ohne Zusammenhang",
  "must differ from your current one": "muss sich vom aktuellen unterscheiden",
  "must not be empty": "darf nicht leer sein",
  "must have {min} to {max} characters, on one line":
    "muss einzeilig sein und {min} bis {max} Zeichen haben",
  "must have at most {max} characters, on one line":
    "muss einzeilig sein und darf höchstens {max} Zeichen haben",
  "The address or password is incorrect": "Die Adresse oder das Passwort ist falsch",
  "The current password is incorrect": "Das aktuelle Passwort ist falsch",
  "The password has just been changed. Sign in again":
    "Das Passwort wurde gerade geändert. Melden Sie sich erneut an",
  "The code is incorrect or was already used": "Der Code ist falsch oder wurde schon verwendet",
  "This passkey was not accepted": "Dieser Passkey wurde nicht akzeptiert",
  "The passkey could not be read. Try again":
    "Der Passkey konnte nicht gelesen werden. Versuchen Sie es erneut",
  "This passkey is already in use": "Dieser Passkey wird bereits verwendet",
  "Passkey not found": "Passkey nicht gefunden",
  "Your company requires a second factor. Add another one before you remove this one":
    "Ihr Unternehmen schreibt einen zweiten Faktor vor. Fügen Sie einen weiteren hinzu, bevor Sie diesen entfernen",
  "You can have at most {max} passkeys. Remove one first":
    "Sie können höchstens {max} Passkeys haben. Entfernen Sie zuerst einen",
  "This setup has expired. Start again": "Die Einrichtung ist abgelaufen. Beginnen Sie von vorn",
  "That took too long. Start again": "Das hat zu lange gedauert. Beginnen Sie von vorn",
  "No authenticator app is set up": "Es ist keine Authenticator-App eingerichtet",
  "Recovery codes require a second factor. Add one first":
    "Für Wiederherstellungscodes brauchen Sie einen zweiten Faktor. Fügen Sie zuerst einen hinzu",
  "Enter a code from your second factor": "Geben Sie einen Code Ihres zweiten Faktors ein",
  "Enter your password, or verify your identity with single sign-on":
    "Geben Sie Ihr Passwort ein oder bestätigen Sie Ihre Identität per Single Sign-On",
  "You signed in with your password, so enter it to continue":
    "Sie haben sich mit Ihrem Passwort angemeldet. Geben Sie es ein, um fortzufahren",
  "Too many wrong codes today. Use a passkey or a recovery code, or try again tomorrow":
    "Heute wurden zu viele falsche Codes eingegeben. Verwenden Sie einen Passkey oder einen Wiederherstellungscode oder versuchen Sie es morgen erneut",
  "Too many sign-in attempts. Try again in 1 minute":
    "Zu viele Anmeldeversuche. Versuchen Sie es in 1 Minute erneut",
  "Too many sign-in attempts. Try again in {wait} minutes":
    "Zu viele Anmeldeversuche. Versuchen Sie es in {wait} Minuten erneut",
  "Too many sign-in attempts. Try again in {wait} seconds":
    "Zu viele Anmeldeversuche. Versuchen Sie es in {wait} Sekunden erneut",
  "Too many sign-ins at the moment. Try again in {wait} seconds":
    "Gerade melden sich zu viele Personen an. Versuchen Sie es in {wait} Sekunden erneut",
  "This sign-in attempt has expired. Sign in again":
    "Dieser Anmeldeversuch ist abgelaufen. Melden Sie sich erneut an",
  "This sign-in has expired or was already used. Sign in again":
    "Diese Anmeldung ist abgelaufen oder wurde schon verwendet. Melden Sie sich erneut an",
  "Your session has ended. Sign in again": "Ihre Sitzung ist beendet. Melden Sie sich erneut an",
  "You're not signed in": "Sie sind nicht angemeldet",
  "Set a new password first": "Legen Sie zuerst ein neues Passwort fest",
  "This mailbox is suspended": "Dieses Postfach ist gesperrt",
  "Mailbox not found": "Postfach nicht gefunden",
  "This link has expired or was already used. Ask your company’s admin to reset your password":
    "Dieser Link ist abgelaufen oder wurde schon verwendet. Bitten Sie den Administrator Ihres Unternehmens, Ihr Passwort zurückzusetzen",
  "Your company requires single sign-on. Sign in with your identity provider instead":
    "Ihr Unternehmen schreibt Single Sign-On vor. Melden Sie sich über Ihren Identitätsanbieter an",
  "No identity provider is connected": "Es ist kein Identitätsanbieter verbunden",
  "Single sign-on isn't set up for this address. Sign in with your password, or use your company's sign-in link":
    "Single Sign-On ist für diese Adresse nicht eingerichtet. Melden Sie sich mit Ihrem Passwort an oder verwenden Sie den Anmeldelink Ihres Unternehmens",
  "This sign-in link no longer works. Ask an owner for the current one, or go back to sign-in":
    "Dieser Anmeldelink ist nicht mehr gültig. Bitten Sie Ihren Administrator um den aktuellen oder gehen Sie zurück zur Anmeldung",
  "This isn't the account that {address} is linked to. Sign out at your identity provider and try again":
    "Mit diesem Konto ist {address} nicht verknüpft. Melden Sie sich bei Ihrem Identitätsanbieter ab und versuchen Sie es erneut",
  "Your identity provider didn't say when you signed in. Ask its admin to add the claim auth_time to the ID token, or use your password instead":
    "Ihr Identitätsanbieter hat nicht mitgeteilt, wann Sie sich angemeldet haben. Bitten Sie den zuständigen Administrator, den Claim auth_time in das ID-Token aufzunehmen, oder verwenden Sie Ihr Passwort",
  "Your identity provider didn't ask you to sign in again. Sign out there and try again, or use your password instead":
    "Ihr Identitätsanbieter hat keine neue Anmeldung verlangt. Melden Sie sich dort ab und versuchen Sie es erneut, oder verwenden Sie Ihr Passwort",
  "Your identity provider hasn't verified your email address. Ask its admin to set the claims email and email_verified":
    "Ihr Identitätsanbieter hat Ihre E-Mail-Adresse nicht bestätigt. Bitten Sie den zuständigen Administrator, die Claims email und email_verified zu setzen",
  "This is a personal Google account. Use your work account":
    "Das ist ein privates Google-Konto. Verwenden Sie Ihr Arbeitskonto",
  "Guests of your company's Microsoft Entra tenant can't sign in. Use a member's account":
    "Gäste des Microsoft-Entra-Mandanten Ihres Unternehmens können sich nicht anmelden. Verwenden Sie das Konto eines Mitglieds",
  "Couldn't sign in with your identity provider ({host}): {problem}":
    "Die Anmeldung bei Ihrem Identitätsanbieter ({host}) ist fehlgeschlagen: {problem}",
  "Another account at your identity provider is linked to {email}. Ask your company's admin to unlink it on the page of your mailbox":
    "Mit {email} ist bei Ihrem Identitätsanbieter ein anderes Konto verknüpft. Bitten Sie den Administrator Ihres Unternehmens, die Verknüpfung auf der Seite Ihres Postfachs aufzuheben",
  "Session not found": "Sitzung nicht gefunden",
  "No mail app is connected from this address anymore":
    "Von dieser Adresse ist keine Mail-App mehr verbunden",
  "Mail apps couldn't be signed out. Try again in a minute":
    "Die Mail-Apps konnten nicht abgemeldet werden. Versuchen Sie es in einer Minute erneut",
  "The mail server isn't responding. Try again in a minute":
    "Der Mailserver antwortet nicht. Versuchen Sie es in einer Minute erneut",
  "Your company does not allow app passwords": "Ihr Unternehmen erlaubt keine App-Passwörter",
  "A mailbox can have at most {max} app passwords. Revoke one that you no longer use":
    "Ein Postfach kann höchstens {max} App-Passwörter haben. Widerrufen Sie eines, das Sie nicht mehr brauchen",
  "App password not found": "App-Passwort nicht gefunden",
  "Your filters have changed since you opened this page. Reload it and try again":
    "Ihre Filter wurden geändert, seit Sie diese Seite geöffnet haben. Laden Sie sie neu und versuchen Sie es erneut",
  "A mailbox can have at most {max} filters": "Ein Postfach kann höchstens {max} Filter haben",
  "A filter needs at least one condition": "Ein Filter braucht mindestens eine Bedingung",
  "A filter can have at most {max} conditions": "Ein Filter kann höchstens {max} Bedingungen haben",
  "{folder} isn't a valid folder name": "{folder} ist kein gültiger Ordnername",
  "A folder name can have up to {max} characters, or about 90 in non-Latin scripts":
    "Ein Ordnername kann bis zu {max} Zeichen haben, in nichtlateinischen Schriften etwa 90",
  "Folders can be nested at most {max} levels deep":
    "Ordner können höchstens {max} Ebenen tief verschachtelt sein",
  "Name is required": "Geben Sie einen Namen ein",
  "Value is required": "Geben Sie einen Wert ein",
  "Folder is required": "Geben Sie einen Ordner an",
  "Name must have at most {max} characters": "Der Name darf höchstens {max} Zeichen haben",
  "Value must have at most {max} characters": "Der Wert darf höchstens {max} Zeichen haben",
  "Folder must have at most {max} characters": "Der Ordnername darf höchstens {max} Zeichen haben",
  "{address} isn't an email address": "{address} ist keine E-Mail-Adresse",
  "A mailbox can't forward mail to itself":
    "Ein Postfach kann E-Mails nicht an sich selbst weiterleiten",
  "Mail can be forwarded to at most {max} addresses":
    "E-Mails können an höchstens {max} Adressen weitergeleitet werden",
  "{address} isn't an address of your company": "{address} ist keine Adresse Ihres Unternehmens",
  "Your company doesn't allow forwarding mail to other organizations: {addresses}":
    "Ihr Unternehmen erlaubt keine Weiterleitung an andere Organisationen: {addresses}",
  "Address must be a valid email address": "Die Adresse muss eine gültige E-Mail-Adresse sein",
  "No request to this address is pending": "Für diese Adresse ist keine Anfrage offen",
  "{address} declined mail forwarded from this mailbox":
    "{address} hat Weiterleitungen aus diesem Postfach abgelehnt",
  "No more requests can be sent to this address now. Ask its owner to check for the last one, including in the spam folder, or try again later":
    "An diese Adresse kann gerade keine weitere Anfrage gesendet werden. Bitten Sie den Empfänger, nach der letzten zu suchen, auch im Spam-Ordner, oder versuchen Sie es später erneut",
  "Subject is required": "Geben Sie einen Betreff ein",
  "Subject must have at most {max} characters": "Der Betreff darf höchstens {max} Zeichen haben",
  "Message is required": "Geben Sie eine Nachricht ein",
  "Message must have at most {max} characters": "Die Nachricht darf höchstens {max} Zeichen haben",
  "The last day must not be before the first day":
    "Der letzte Tag darf nicht vor dem ersten liegen",
  "{day} isn't a valid date": "{day} ist kein gültiges Datum",
  "Message not found in quarantine": "Die E-Mail ist nicht mehr in Quarantäne",
  "Only an admin can release this message": "Nur ein Administrator kann diese E-Mail freigeben",
  "This server doesn't handle mail for that domain":
    "Dieser Server ist für diese Domain nicht zuständig",
  "{address} isn't a mailbox of this company. Ask your company's admin to create it, or sign in with another account":
    "{address} ist kein Postfach dieses Unternehmens. Bitten Sie den Administrator Ihres Unternehmens, es anzulegen, oder melden Sie sich mit einem anderen Konto an",
  "{address} receives mail for the sign-in address of an operator or of an admin of another company, so it can't be opened with your company's identity provider. Sign in with its password":
    "{address} empfängt E-Mails für die Anmeldeadresse eines Betreibers oder eines Administrators eines anderen Unternehmens. Deshalb ist die Anmeldung über Ihren Identitätsanbieter nicht möglich. Melden Sie sich mit dem Passwort des Postfachs an",
  "Internal error. Try again later": "Interner Fehler. Versuchen Sie es später erneut",
  "The mailbox does not exist.": "Das Postfach existiert nicht.",
  "The domain after the @ does not exist or doesn't accept mail.":
    "Die Domain nach dem @ existiert nicht oder nimmt keine E-Mails an.",
  "The other server does not accept the sender's address.":
    "Der andere Server akzeptiert die Absenderadresse nicht.",
  "The other server has blocked mail from this server.":
    "Der andere Server blockiert E-Mails von diesem Server.",
  "The other server rejected this message because of its policy.":
    "Der andere Server hat die E-Mail aufgrund seiner Richtlinien abgelehnt.",
  "The mailbox is disabled.": "Das Postfach ist deaktiviert.",
  "The mailbox is full.": "Das Postfach ist voll.",
  "The message is too large for the other server.":
    "Die E-Mail ist zu groß für den anderen Server.",
  "The message is looping: addresses forward it to each other.":
    "Die E-Mail wird im Kreis geleitet: Mehrere Adressen leiten sie aneinander weiter.",
  "The other server did not accept the message in time.":
    "Der andere Server hat die E-Mail nicht rechtzeitig angenommen.",
  "The other server does not support addresses with non-ASCII characters.":
    "Der andere Server unterstützt keine Adressen mit Umlauten oder anderen Sonderzeichen.",
  "The other server could not parse the message.":
    "Der andere Server konnte die E-Mail nicht lesen.",
  "The other server could not verify that the message is from your domain.":
    "Der andere Server konnte nicht prüfen, ob die E-Mail von Ihrer Domain stammt.",
  "The other server rejected the message.": "Der andere Server hat die E-Mail abgelehnt.",
};

export const german: Catalog = { ui, account, mail, sheet, errors };
