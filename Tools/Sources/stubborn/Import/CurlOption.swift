/// The options of curl that an import knows.
enum CurlOption {
    /// The options that say something about the request, and take a value.
    static let ofRequest: [String: String] = [
        "-X": "--request", "-H": "--header", "-d": "--data", "-F": "--form", "-u": "--user", "-A": "--user-agent",
        "-e": "--referer", "-b": "--cookie", "-T": "--upload-file", "-r": "--range",
    ]

    static let ofRequestLong: Set = [
        "--request", "--header", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode",
        "--json", "--form", "--form-string", "--user", "--user-agent", "--referer", "--cookie",
        "--upload-file", "--url", "--range", "--oauth2-bearer",
    ]

    /// The options without a value that say something about the request.
    static let flagsOfRequest: [String: String] = ["-G": "--get", "-I": "--head"]

    /// The options that say nothing about the request, and take a value.
    static let otherWithValue: Set = [
        "-o", "--output", "-m", "--max-time", "--connect-timeout", "-x", "--proxy", "-w", "--write-out",
        "--retry", "--retry-delay", "--retry-max-time", "-c", "--cookie-jar", "-D", "--dump-header", "-E",
        "--cert", "--key", "--cacert", "--capath", "--resolve", "--connect-to", "--interface", "-U",
        "--proxy-user", "--noproxy", "--limit-rate", "--max-redirs", "-y", "-Y", "-K", "--config", "--stderr",
        "--ciphers", "--tls-max", "--cert-type", "--key-type", "--pass", "--unix-socket", "--trace",
        "--trace-ascii", "-C", "--continue-at", "-z", "--time-cond", "-t", "--output-dir", "--keepalive-time",
        "--socks5", "--socks5-hostname", "--preproxy", "--pinnedpubkey", "--curves", "--max-filesize",
        "--local-port", "--dns-servers", "--doh-url", "--expect100-timeout", "--happy-eyeballs-timeout-ms",
        "--proto", "--proto-redir", "--proto-default", "--create-file-mode",
    ]

    /// The options that say nothing about the request, and take no value.
    static let otherFlags: Set = [
        "--compressed", "-s", "--silent", "-S", "--show-error", "-L", "--location", "-k", "--insecure", "-i",
        "--include", "-v", "--verbose", "-f", "--fail", "--fail-with-body", "--fail-early", "-g", "--globoff",
        "-N", "--no-buffer", "-O", "--remote-name", "-J", "--remote-header-name", "-#", "--progress-bar",
        "--no-progress-meter", "-0", "--http1.0", "--http1.1", "--http2", "--http2-prior-knowledge",
        "--http3", "--http3-only", "-4", "--ipv4", "-6", "--ipv6", "-1", "--tlsv1", "-2", "-3", "--tlsv1.0",
        "--tlsv1.1", "--tlsv1.2", "--tlsv1.3", "--location-trusted", "--path-as-is", "--post301", "--post302",
        "--post303", "--raw", "--anyauth", "--basic", "--digest", "--ntlm", "--negotiate", "-n", "--netrc",
        "-q", "--disable", "-Z", "--parallel", "--create-dirs", "--tcp-nodelay", "--no-keepalive",
        "--no-alpn", "--retry-connrefused", "--retry-all-errors", "--ssl-no-revoke", "-a",
        "--styled-output", "-j", "--junk-session-cookies", "--tr-encoding", "--false-start", "--tcp-fastopen",
        "-M", "--manual", "-R", "--remote-time",
    ]
}
