// Names of variables that no environment may have: whoever sets one changes what the reviewed script does, without a line of it being another one. The
// review shows each value to the owner; this list is the second line. Each part names its sources.

/** The run's own (domain/runs/session-script.ts), the platform's and AWS's. */
const platform = ["INPUT_DIR", "OUTPUT_DIR", "ARCHWAY_*", "AWS_*"];

/** Shells: bash(1) "Shell Variables", dash(1), zshparam(1); `initial_badenv_table` of sudo (plugins/sudoers/env.c). */
const shells = [
  ...["ENV", "IFS", "PATH", "PATH_LOCALE", "HOME", "PWD", "OLDPWD", "CDPATH", "FPATH", "SHELL", "SHLVL", "SHELLOPTS"],
  ...["BASH*", "POSIXLY_CORRECT", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4", "UID", "EUID", "PPID", "GROUPS"],
  ...[
    "GLOBIGNORE",
    "EXECIGNORE",
    "FIGNORE",
    "FUNCNEST",
    "IGNOREEOF",
    "INPUTRC",
    "HISTFILE",
    "HISTCONTROL",
    "HISTIGNORE",
  ],
  ...["HISTSIZE", "HISTFILESIZE", "HISTTIMEFORMAT", "HOSTFILE", "DIRSTACK", "OPTARG", "OPTERR", "OPTIND", "TIMEFORMAT"],
  ...["TMOUT", "LINENO", "RANDOM", "SRANDOM", "SECONDS", "ZDOTDIR", "NULLCMD", "READNULLCMD", "TMPPREFIX"],
  ...["USER", "LOGNAME"],
];

/** Loader and C library: ld.so(8), malloc(3), resolver(5), terminfo(5); `UNSECURE_ENVVARS` of glibc (sysdeps/generic/unsecvars.h). */
const loader = [
  ...["LD_*", "DYLD_*", "LIBPATH", "SHLIB_PATH", "GLIBC_*", "MALLOC_*", "GCONV_PATH", "GETCONF_DIR", "LOCPATH"],
  ...["NLSPATH", "TZDIR", "TEXTDOMAIN*", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "RESOLV_*", "NIS_PATH", "TMPDIR"],
  ...["TMP", "TEMP", "TEMPDIR", "TERMINFO*", "TERMCAP", "TERMPATH", "XDG_*"],
];

/** Interpreters, and where their packages come from: python(1), node(1), perlrun(1), ruby(1), java(1), php(1), lua(1), Rscript(1), gawk(1), make(1). */
const interpreters = [
  ...["PYTHON*", "PIP_*", "UV_*", "VIRTUAL_ENV", "CONDA_*", "NODE_*", "NPM_CONFIG_*", "YARN_*", "DENO_*", "BUN_*"],
  ...["PERL*", "RUBY*", "GEM_*", "BUNDLE_*", "PHPRC", "PHP_INI_*", "LUA_*", "TCLLIBPATH", "R_HOME", "R_LIBS*"],
  ...["R_PROFILE*", "R_ENVIRON*", "JAVA_TOOL_OPTIONS", "JAVA_OPTIONS", "JAVA_OPTS", "JAVA_HOME", "_JAVA_OPTIONS"],
  ...["JDK_JAVA_OPTIONS", "JDK_HOME", "JRE_HOME", "CLASSPATH", "GOFLAGS", "GOPATH", "GOROOT", "GOPROXY", "GOENV"],
  ...["GODEBUG", "GOTOOLCHAIN", "RUSTC*", "RUSTFLAGS", "RUSTUP_*", "CARGO_*", "DOTNET_*", "CORECLR_*", "COR_*"],
  ...["AWKPATH", "AWKLIBPATH", "MAKEFLAGS", "MAKEFILES", "GNUMAKEFLAGS"],
];

/** Whom connections are made to, and whose certificates are believed: curl(1), openssl-env(7), requests of Python, ssh(1), kerberos(7). */
const connections = [
  ...[
    "*_PROXY",
    "OPENSSL_*",
    "SSL_*",
    "SSLKEYLOGFILE",
    "CURL_*",
    "REQUESTS_CA_BUNDLE",
    "GNUTLS_*",
    "NSS_*",
    "P11_KIT_*",
  ],
  ...["SSH_ASKPASS*", "SSH_AUTH_SOCK", "KRB5*", "NETRC", "WGETRC"],
];

/** Programs that a program starts, and their options: git(1) "Environment Variables", less(1), man(1), tar(1), gzip(1), sudo(8). */
const programs = [
  ...["GIT_*", "HGRCPATH", "SVN_SSH", "CVS_RSH", "RSYNC_*", "EDITOR", "VISUAL", "FCEDIT", "PAGER", "MANPAGER", "LESS"],
  ...[
    "LESSOPEN",
    "LESSCLOSE",
    "LESSKEY*",
    "BROWSER",
    "SUDO_*",
    "DBUS_*",
    "TAR_OPTIONS",
    "GREP_OPTIONS",
    "GZIP",
    "UNZIP",
  ],
];

const reserved = [...platform, ...shells, ...loader, ...interpreters, ...connections, ...programs];
const pattern = new RegExp(`^(?:${reserved.map((name) => name.replaceAll("*", ".*")).join("|")})$`, "iu");

/**
 * Names are matched in any case, and as Unicode's compatible forms of their letters (NFKC).
 * @returns why the name may not be used; undefined if it may
 */
export function reservedProblem(name: string): string | undefined {
  if (!pattern.test(name.normalize("NFKC"))) return undefined;
  return "is reserved: it tells a shell, a loader, an interpreter or a connection how to start or whom to trust";
}
