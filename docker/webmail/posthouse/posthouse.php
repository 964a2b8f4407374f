<?php

require_once __DIR__ . '/contacts.php';

/**
 * Signs mailbox users in, without a form, with the headers that Posthouse's web server adds to each request. Gets names,
 * identities and contacts from Posthouse.
 */
class posthouse extends rcube_plugin
{
    private const LANGUAGES = ['de' => 'de_DE', 'en' => 'en_US'];
    /** Pages of /account that replace Roundcube's own. */
    private const PAGES = ['filters' => ['Filters', 'Filter'], 'vacation' => ['Automatic replies', 'Abwesenheitsnotiz']];

    private const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect x="4" y="4" width="32" height="32" rx="8" fill="#228be6"/>'
        . '<text x="20" y="27" font-family="sans-serif" font-size="20" fill="#fff" text-anchor="middle">%s</text></svg>';

    private $profile;

    public function init()
    {
        $this->add_hook('startup', [$this, 'start']);
        $this->add_hook('authenticate', [$this, 'authenticate']);
        $this->add_hook('user_create', [$this, 'create_user']);
        $this->add_hook('login_after', [$this, 'signed_in']);
        $this->add_hook('login_failed', [$this, 'refuse']);
        $this->add_hook('unauthenticated', [$this, 'refuse']);
        $this->add_hook('logout_after', [$this, 'leave']);
        $this->add_hook('storage_connect', [$this, 'connect']);
        $this->add_hook('smtp_connect', fn ($args) => ['smtp_user' => self::header('mailbox')] + $args);
        $this->add_hook('settings_actions', [$this, 'add_pages']);
        $this->add_hook('addressbooks_list', [$this, 'list_contacts']);
        $this->add_hook('addressbook_get', [$this, 'get_contacts']);
        foreach (array_keys(self::PAGES) as $page) {
            $this->register_action("plugin.posthouse-$page", fn () => $this->leave([], $page));
        }
        $name = $_SESSION['posthouse']['company'] ?? null;
        if ($name) {
            $config = rcmail::get_instance()->config;
            $config->set('product_name', $name);
            // Companies have no logo, so their initial replaces Roundcube's.
            $config->set('skin_logo', 'data:image/svg+xml,' . rawurlencode(sprintf(self::LOGO, rcube::Q(mb_strtoupper(mb_substr($name, 0, 1))))));
        }
    }

    /** Starts a session if there is none, or a new one if another session of /account has replaced the previous one. */
    public function start($args)
    {
        $rcmail = rcmail::get_instance();
        $session = $_SESSION['posthouse']['session'] ?? null;
        if (!empty($_SESSION['user_id']) && $session !== self::header('session')) {
            $rcmail->kill_session();
        }
        // For new identities.
        $rcmail->user_email = self::header('mailbox');
        // It changes every twelve hours.
        if (!empty($_SESSION['user_id']) && $rcmail->get_user_password() !== self::header('password')) {
            $_SESSION['password'] = $rcmail->encrypt(self::header('password'));
        }
        if (empty($_SESSION['user_id']) && self::header('mailbox')) {
            return ['task' => 'login', 'action' => 'login'] + $args;
        }
        return $args;
    }

    public function authenticate($args)
    {
        $this->profile = self::ask('webmail/profile');
        $user = self::header('user');
        $pass = self::header('password');
        return ['user' => $user, 'pass' => $pass, 'valid' => true, 'cookiecheck' => false] + $args;
    }

    public function create_user($args)
    {
        return ['user_name' => $this->profile['name'] ?? '', 'user_email' => self::header('mailbox')] + $args;
    }

    public function signed_in($query)
    {
        $_SESSION['posthouse'] = ['session' => self::header('session'), 'company' => $this->profile['company'] ?? null];
        $_SESSION['language'] = self::LANGUAGES[self::header('language')] ?? $_SESSION['language'];
        if ($this->profile) {
            $this->update_identities($this->profile['identities']);
        }
        // Opens the requested page.
        $asked = array_filter($_GET, fn ($value, $key) => is_string($value) && $key[0] === '_', ARRAY_FILTER_USE_BOTH);
        unset($asked['_err'], $asked['_remote'], $asked['_token'], $asked['_id']);
        return ($asked['_task'] ?? 'login') === 'login' || ($asked['_task'] ?? '') === 'logout' ? $query : $asked + $query;
    }

    /** Adds new addresses, and removes those that the mailbox can no longer send from. Names and signatures belong to the user. */
    private function update_identities($allowed)
    {
        $user = rcmail::get_instance()->user;
        $missing = array_column($allowed, null, 'address');
        foreach ($user->list_identities() as $identity) {
            if (isset($missing[$identity['email']])) {
                unset($missing[$identity['email']]);
            } elseif (!in_array($identity['email'], array_column($allowed, 'address'))) {
                $user->delete_identity($identity['identity_id']);
            }
        }
        foreach ($missing as $address => ['name' => $name]) {
            $user->insert_identity(['email' => $address, 'name' => $name ?? '', 'standard' => 0]);
        }
    }

    /** Replaces Roundcube's sign-in form, which has no use here. */
    public function refuse($args)
    {
        // Health asks without a user.
        http_response_code(self::header('mailbox') ? 503 : 401);
        header('Content-Type: text/html; charset=utf-8');
        $isGerman = self::header('language') === 'de';
        $text = $isGerman ? 'Die Anmeldung am Postfach ist fehlgeschlagen.' : 'Webmail couldn’t sign in to your mailbox.';
        $link = $isGerman ? 'Zurück zum Konto' : 'Back to your account';
        exit("<!doctype html><title>Webmail</title><p>$text <a href=\"/account\">$link</a></p>");
    }

    public function leave($args, $page = '')
    {
        header("Location: /account/$page", true, 303);
        exit;
    }

    public function connect($args)
    {
        $args['user'] = self::header('mailbox');
        // For Dovecot's log.
        $args['ident'] = ['name' => 'Webmail', 'x-originating-ip' => self::header('client')] + ($args['ident'] ?? []);
        return $args;
    }

    public function add_pages($args)
    {
        $isGerman = substr($_SESSION['language'], 0, 2) === 'de';
        foreach (self::PAGES as $page => $labels) {
            $this->add_text($page, $labels[(int) $isGerman]);
            $args['actions'][] = ['action' => "plugin.posthouse-$page", 'class' => $page, 'label' => "posthouse.$page"];
        }
        return $args;
    }

    private function add_text($key, $text)
    {
        rcmail::get_instance()->load_language(null, ["posthouse.$key" => $text]);
    }

    public function list_contacts($args)
    {
        $args['sources'] = ['posthouse' => self::contacts()->describe()] + $args['sources'];
        return $args;
    }

    public function get_contacts($args)
    {
        return $args['id'] === 'posthouse' ? ['instance' => self::contacts()] + $args : $args;
    }

    private static function contacts()
    {
        return new posthouse_contacts($_SESSION['posthouse']['company'] ?? 'Posthouse');
    }

    private static function header($name)
    {
        return $_SERVER['HTTP_X_POSTHOUSE_' . strtoupper($name)] ?? null;
    }

    /**
     * Calls an endpoint for webmail with the password of the user's session.
     *
     * @return ?array null if it fails
     */
    public static function ask($path, $query = [])
    {
        $url = getenv('POSTHOUSE_APPLIANCE') . "/account/api/$path?" . http_build_query($query);
        $headers = ['Host: ' . getenv('POSTHOUSE_HOSTNAME'), 'Authorization: Basic ' . base64_encode(self::header('mailbox') . ':' . self::header('password'))];
        $options = ['http' => ['header' => $headers, 'timeout' => 5], 'ssl' => ['verify_peer' => false, 'verify_peer_name' => false]];
        $body = @file_get_contents($url, false, stream_context_create($options));
        if ($body === false) {
            rcube::write_log('errors', "posthouse: no answer from $path");
            return null;
        }
        return json_decode($body, true);
    }
}
