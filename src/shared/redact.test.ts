import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "./json.ts";
import { createRedactor, findSecrets, matchable } from "./redact.ts";
import { encode } from "./encode.ts";

/** `length` characters that look random and are the same on every run. */
function random(length: number, alphabet = "a7Bq9Zx3Kd5Rw2Lm8Tc4"): string {
  return Array.from({ length }, (_, i) => alphabet[(i * 7 + (i >> 2)) % alphabet.length]).join("");
}
const hex = (length: number): string => random(length, "0a7b3c9d5e1f8246");
const upper = (length: number): string => random(length, "A7QB9ZX3KD5RW2LM8TC4");

/** Keeps the start of a secret apart from the rest in this file. */
const head = (text: string): string => text;

/** Text with a secret in it, and the secret that must be gone. Built from parts, so that no scanner stumbles over this file. */
const SHAPES: Readonly<Record<string, readonly [text: string, secret: string]>> =
  Object.fromEntries(
    (
      [
        ["github classic", `${head("gh")}p_${random(36)}`],
        ["github server", `${head("gh")}s_${random(36)}`],
        ["github fine-grained", `${head("github")}_pat_${random(22)}_${random(59)}`],
        ["gitlab", `${head("gl")}pat-${random(20)}`],
        ["slack bot", `${head("xo")}xb-123456789012-1234567890123-${random(24)}`],
        ["slack app", `${head("xa")}pp-1-A0123-456-${hex(64)}`],
        [
          "slack webhook",
          `https://${head("hooks")}.slack.com/services/T012345/B0123456/${random(24)}`,
        ],
        ["stripe live", `${head("sk")}_live_${random(24)}`],
        ["stripe restricted", `${head("rk")}_live_${random(24)}`],
        ["stripe webhook", `${head("wh")}sec_${random(32)}`],
        ["openai", `${head("sk")}-${random(48)}`],
        ["openai project", `${head("sk")}-proj-${random(20)}-${random(20)}_${random(40)}`],
        ["anthropic", `${head("sk")}-ant-api03-${random(60)}-${random(30)}AA`],
        ["openrouter", `${head("sk")}-or-v1-${hex(64)}`],
        ["aws key id", `${head("AK")}IA${upper(16)}`],
        ["aws temporary key id", `${head("AS")}IA${upper(16)}`],
        ["google api key", `${head("AI")}za${random(35)}`],
        ["google oauth", `${head("ya")}29.${random(60)}`],
        ["google client secret", `${head("GOC")}SPX-${random(28)}`],
        ["npm", `${head("np")}m_${random(36)}`],
        ["pypi", `${head("py")}pi-AgEIcHlwaS5vcmc${random(60)}`],
        ["rubygems", `${head("ruby")}gems_${hex(48)}`],
        ["sendgrid", `${head("S")}G.${random(22)}.${random(43)}`],
        ["twilio key", `${head("S")}K${hex(32)}`],
        ["twilio account", `${head("A")}C${hex(32)}`],
        ["shopify", `${head("shp")}at_${hex(32)}`],
        ["huggingface", `${head("h")}f_${random(34)}`],
        ["linear", `${head("lin")}_api_${random(40)}`],
        ["notion", `${head("nt")}n_${random(46)}`],
        ["digitalocean", `${head("do")}p_v1_${hex(64)}`],
        ["mailgun", `${head("ke")}y-${hex(32)}`],
        ["mailchimp", `${hex(32)}-us12`],
        ["telegram", `123456789:${head("A")}A${random(33)}`],
        ["discord", `M${random(23)}.${random(6)}.${random(27)}`],
        ["databricks", `${head("da")}pi${hex(32)}`],
        ["vault", `${head("hv")}s.${random(24)}`],
        ["terraform", `${random(14)}.${head("atlas")}v1.${random(60)}`],
        ["doppler", `${head("d")}p.pt.${random(43)}`],
        ["planetscale", `${head("pscale")}_tkn_${random(43)}`],
        ["postman", `${head("PM")}AK-${hex(24)}-${hex(34)}`],
        ["new relic", `${head("NR")}AK-${upper(27)}`],
        ["grafana", `${head("gl")}sa_${random(32)}_${hex(8)}`],
        ["sentry", `${head("sntry")}s_${random(60)}`],
        ["airtable", `${head("pa")}t${random(14)}.${hex(64)}`],
        ["atlassian", `${head("ATA")}TT3${random(60)}`],
        ["figma", `${head("fig")}d_${random(40)}`],
        ["docker", `${head("dckr")}_pat_${random(27)}`],
        ["replicate", `${head("r")}8_${random(37)}`],
        ["groq", `${head("gs")}k_${random(52)}`],
        ["langsmith", `${head("ls")}v2_pt_${hex(32)}_${hex(10)}`],
        ["square", `${head("sq")}0atp-${random(22)}`],
        ["azure client secret", `${random(3)}8Q~${random(34)}`],
        ["jwt", `${head("ey")}J${random(20)}.${head("ey")}J${random(40)}.${random(43)}`],
        [
          "private key",
          `-----BEGIN ${head("RSA")} PRIVATE KEY-----\n${random(64)}\n${random(64)}\n-----END RSA PRIVATE KEY-----`,
        ],
        [
          "cut private key",
          `-----BEGIN ${head("OPENSSH")} PRIVATE KEY-----\n${random(64)}\n${random(30)}`,
          random(30),
        ],
        ["bearer", `Authorization: Bearer ${random(24)}`, random(24)],
        ["bearer alone", `curl -H "x: bearer ${random(24)}"`, random(24)],
        [
          "basic",
          `Authorization: Basic ${Buffer.from("joe:hunter22").toString("base64")}`,
          Buffer.from("joe:hunter22").toString("base64"),
        ],
        ["url password", "postgres://admin:hunter2pass@db.internal:5432/app", "hunter2pass"],
        ["url token", `https://${random(30)}@git.acme.dev/x`, random(30)],
        ["url query", `https://acme.dev/x?access_token=${random(20)}&y=1`, random(20)],
        ["connection string", "Server=db;User Id=sa;Password=Str0ngPass;Encrypt=yes", "Str0ngPass"],
        ["azure storage", `AccountName=acme;AccountKey=${random(86)}==;`, random(86)],
        ["env file", "DB_PASSWORD=swordfish", "swordfish"],
        [
          "env file key",
          `AWS_SECRET_ACCESS_KEY=${random(40, "a7/Bq9+Zx3Kd5Rw2")}`,
          random(40, "a7/Bq9+Zx3Kd5Rw2"),
        ],
        ["yaml", "client_secret: h4rdToGuess", "h4rdToGuess"],
        ["cookie header", `Set-Cookie: sid=${random(24)}; Path=/`, random(24)],
        ["email", "jane.doe@acme.com"],
        ["card", "4111 1111 1111 1111"],
        ["card amex", "378282246310005"],
        ["ssn", "078-05-1120"],
        ["iban", "DE89 3704 0044 0532 0130 00"],
        ["phone", "+49 170 1234567"],
        ["phone us", "(555) 123-4567"],
        ["ip", "203.0.113.77"],
        ["ipv6", "2001:db8:85a3::8a2e:370:7334"],
      ] as readonly (readonly [string, string, string?])[]
    ).map(([name, text, secret]) => [name, [text, secret ?? text]]),
  );

const MEMBERS: readonly (readonly [key: string, value: string])[] = [
  ["password", "swordfish"],
  ["userPassword", "correct horse"],
  ["DB_PASSWD", "swordfish"],
  ["secret", "swordfish"],
  ["client_secret", "swordfish"],
  ["clientSecret", "swordfish"],
  ["api_key", "swordfish"],
  ["apiKey", "swordfish"],
  ["X-API-Key", "swordfish"],
  ["OPENAI_API_KEY", "swordfish"],
  ["accessToken", "swordfish"],
  ["refresh_token", "swordfish"],
  ["access_key", "swordfish"],
  ["private_key", "swordfish"],
  ["Authorization", "swordfish"],
  ["set-cookie", "theme=dark"],
  ["cookie", "theme=dark; sid=4"],
  ["token", "k3jh4k5jh3"],
  ["session_id", "k3jh4k5jh3"],
  ["sessionId", "k3jh4k5jh3"],
  ["credentials", "swordfish"],
];

const BENIGN: readonly string[] = [
  "A-1001",
  "ORD-2024-000123",
  "2024-01-15",
  "2024-01-15T10:11:12.123Z",
  "2024-01-15 10:11:12 +00:00",
  "20240115101112",
  "1718000000000",
  "1718000000000000",
  "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  "v1.2.3",
  "version 10.20.30.40",
  "1.2.3.4",
  "lodash@4.17.21",
  "vitest@4.1.12 on node v20.20.2",
  "Chrome/120.0.0.0 Safari/537.36",
  "$1,299.00",
  "12.50 EUR",
  "tokens: 12",
  "max_tokens=4096, total_tokens: 1234567",
  "next_page_token: abc123def456",
  "Password: required",
  "Please enter your password: it must have 8 characters",
  "the secret: be kind",
  "bearer authentication is required",
  "basic information about refunds",
  "127.0.0.1:8080",
  "http://192.168.1.10/health",
  "10.0.0.7",
  "task-based risk-assessment-of-very-long-names-and-things",
  "sk-learn-is-a-library-with-a-long-name",
  "git@github.com:acme/shop.git",
  "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "d41d8cd98f00b204e9800998ecf8427e",
  "src/shared/redact.test.ts:12:34",
  "12:34:56",
  "00:1b:44:11:3a:b7",
  "std::vector<int>",
  "Total: 1,234,567.89",
  "+1.000.000",
  "ISBN 978-3-16-148410-0",
  "call_abc123, toolu_01A09q90qw90lq917835lq9",
  "refund of 4111 units",
  "token = get_token()",
  "password = user.password",
  "password=password",
  "HOME=/root1 PWD=/home/user1/project2",
  "const STORAGE_KEY = 'vue-todo-list'",
  "api_key = os.environ['KEY']",
  '{"password": ""}',
  '{"type":"object","properties":{"password":{"type":"string"}}}',
  "customer c_98123, sku SKU-99120-XL, qty 3",
  "tracking 1Z999AA10123456784",
  "commit 4f2c1ab",
  "lat 52.520008, lon 13.404954",
  "chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVw",
];

const BENIGN_MEMBERS: readonly Json[] = [
  { tokens: 12, maxTokens: 4096, token_count: 7, total_tokens: 99, prompt_tokens: 3 },
  { token: "hello", logprob: -0.5 },
  { token: " Assistant" },
  { next_token: "abc123def456", pageToken: "k3jh4k5jh3", nextPageToken: "k3jh4k5jh3" },
  {
    primaryKey: "customer_98123",
    public_key: "abc123def456",
    key: "abc123def456",
    idempotency_key: "abc123def456",
  },
  { secretary: "Jane", tokenizer: "cl100k_base", author: "k3jh4k5jh3", passenger: "k3jh4k5jh3" },
  { password: null, secret: true, token: "", api_key: "none", authorization: "required" },
  { password: { type: "string", description: "The new password" } },
  { session: { id: 7, created_at: "2024-01-15T10:11:12Z" } },
  { orderId: 4111111111111112, amount: 25.5, at: 1718000000000 },
];

const json = fc.jsonValue({ depthSize: "medium" }) as fc.Arbitrary<Json>;
const secretText = fc.constantFrom(...Object.values(SHAPES).map(([text]) => text));
const part = fc.oneof(
  secretText,
  fc.string(),
  fc.constantFrom("password=", "token: ", '"', " ", "\n", "\\", ":", "@", "{", "}", ...BENIGN),
);
const mixed = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(""));
const secretive = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    mixed,
    fc.constantFrom<Json>(1, null, true, 4111111111111111, 9007199254740991),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(mixed, fc.constantFrom("password", "token", "__proto__", "note", "$t")),
      tie("value"),
      { maxKeys: 3 },
    ),
    tie("value").map((value) => JSON.stringify(value)),
  ),
})).value;

test("redacting twice is redacting once, with the same redactor and with another", () => {
  fc.assert(
    fc.property(fc.oneof(secretive, json), (value) => {
      const redactor = createRedactor();
      const once = redactor.value(value);
      expect(redactor.value(once)).toEqual(once);
      expect(createRedactor().value(once)).toEqual(once);
    }),
    { numRuns: 1000 },
  );
});

test("nothing is found in what was redacted", () => {
  fc.assert(
    fc.property(secretive, (value) => {
      expect(findSecrets(createRedactor().value(value))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test("redacting changes no value that holds no secret, and never the one that it was given", () => {
  fc.assert(
    fc.property(fc.oneof(secretive, json), (value) => {
      const before = JSON.stringify(value);
      const redacted = createRedactor().value(value);
      expect(JSON.stringify(value)).toBe(before);
      expect(redacted === value).toBe(findSecrets(value).length === 0);
    }),
    { numRuns: 1000 },
  );
});

test("no secret of any shape is left in raw text, in a member, in a member's name, or in JSON inside strings", () => {
  const left: string[] = [];
  for (const [name, [text, secret]] of Object.entries(SHAPES)) {
    const inner = JSON.stringify({ note: text });
    const forms: Readonly<Record<string, Json>> = {
      raw: text,
      "in a sentence": `The answer was ${text}, thank you.`,
      "in quotes": `value="${text}"`,
      "in JSON": { result: [{ note: text }] },
      "as a name": { [text]: 1 },
      "JSON in a string": inner,
      "JSON in JSON in a string": JSON.stringify({ body: inner }),
      "JSON in text": `Response: ${inner} (200)`,
      "JSON in JSON in text": `Response: ${JSON.stringify(inner)} (200)`,
      "cut JSON": inner.slice(0, -1),
      "with a scanner's marker": `${text} # ${head("gitleaks")}:allow`,
    };
    for (const [form, value] of Object.entries(forms)) {
      const redacted = JSON.stringify(createRedactor().value(value));
      const visible = [
        secret,
        JSON.stringify(secret).slice(1, -1),
        secret.split("\n")[1] ?? secret,
      ];
      if (visible.some((shown) => redacted.includes(shown)))
        left.push(`${name} ${form}: ${redacted}`);
    }
  }
  expect(left).toEqual([]);
});

test("members with telling names lose their values, also in JSON inside strings", () => {
  const left: string[] = [];
  for (const [key, value] of MEMBERS) {
    const object = { [key]: value };
    for (const form of [
      object,
      { headers: object },
      JSON.stringify(object),
      JSON.stringify({ a: JSON.stringify(object) }),
      `x ${JSON.stringify(object)}`,
      { [key]: [value] },
    ]) {
      const redacted = JSON.stringify(createRedactor().value(form));
      if (redacted.includes(value)) left.push(`${key}: ${redacted}`);
    }
  }
  expect(left).toEqual([]);
});

test("ids, dates, versions, numbers, prices and harmless names survive", () => {
  const redactor = createRedactor();
  expect(
    BENIGN.filter(
      (text) =>
        redactor.text(text) !== text ||
        redactor.text(`see ${text}, please`) !== `see ${text}, please`,
    ),
  ).toEqual([]);
  expect(BENIGN_MEMBERS.filter((value) => redactor.value(value) !== value)).toEqual([]);
});

test("a secret has one number in a trace, and two secrets have two", () => {
  const [first] = SHAPES["github classic"] ?? [""];
  const [second] = SHAPES["github server"] ?? [""];
  expect(createRedactor().value([first, second, { a: `${first} and ${second}` }])).toEqual([
    "[redacted:github#1]",
    "[redacted:github#2]",
    { a: "[redacted:github#1] and [redacted:github#2]" },
  ]);
});

test("a secret that was handed out under a telling name is known everywhere after", () => {
  const redactor = createRedactor();
  expect(redactor.value({ token: "k3jh4k5jh3" })).toEqual({ token: "[redacted:secret#1]" });
  expect(redactor.value({ q: "use k3jh4k5jh3 now" })).toEqual({ q: "use [redacted:secret#1] now" });
});

test("placeholders that already stand in a value are left alone, and their numbers are not given again", () => {
  expect(
    createRedactor().value({
      password: "[redacted:secret#4]",
      secret: "pre [redacted:secret#7]",
      note: "password=[redacted:env#2]",
    }),
  ).toEqual({
    password: "[redacted:secret#4]",
    secret: "[redacted:secret#8][redacted:secret#7]",
    note: "password=[redacted:env#2]",
  });
});

test("overlapping rules give one placeholder of the most telling kind", () => {
  const [token] = SHAPES["github classic"] ?? [""];
  const redactor = createRedactor({ environment: { MY_TOKEN: token } });
  expect(redactor.text(`Authorization: Bearer ${token}`)).toBe(
    "Authorization: Bearer [redacted:github#1]",
  );
  expect(redactor.text(`password=${token}&url=https://u:${token}@h/`)).toBe(
    "password=[redacted:github#1]&url=https://u:[redacted:github#1]@h/",
  );
  expect(redactor.value({ Authorization: `Bearer ${token}` })).toEqual({
    Authorization: "Bearer [redacted:github#1]",
  });
});

test("values of secret-looking variables are removed wherever they stand and however they are written", () => {
  const redactor = createRedactor({
    environment: {
      DB_PASSWORD: 'p/ss wörd "x"',
      SHORT_TOKEN: "abc",
      HOME: "/home/jane",
      SIGNING_KEY: "abcdefghij",
      PATH_KEY: "/usr/lib/key",
    },
  });
  expect(redactor.text('a p/ss wörd "x" b abcdefghij c abc /home/jane /usr/lib/key')).toBe(
    "a [redacted:env#1] b [redacted:env#2] c abc /home/jane /usr/lib/key",
  );
  expect(redactor.text(`x=${encodeURIComponent('p/ss wörd "x"')}`)).toMatch(
    /^x=\[redacted:env#\d\]$/u,
  );
  expect(redactor.text(`b64 ${Buffer.from("abcdefghij").toString("base64")}`)).toMatch(
    /^b64 \[redacted:env#\d\]=*$/u,
  );
});

test("a user's keys, patterns and allowed texts are obeyed", () => {
  const redactor = createRedactor({
    keys: ["badgeNumber"],
    patterns: [{ name: "employee", pattern: "EMP-[0-9]{6}" }],
    allow: [
      "support@acme.com",
      "sha256:6ca13d52ca70c883e0f0bb101e425a89e8624de51db2d2392593af6a84118090",
    ],
  });
  expect(
    redactor.value({
      badge_number: "x",
      BadgeNumber: 123,
      note: "EMP-123456 wrote to support@acme.com and jane@acme.com",
      password: "abc123",
    }),
  ).toEqual({
    badge_number: "[redacted:secret#1]",
    BadgeNumber: "[redacted:secret#2]",
    note: "[redacted:employee#1] wrote to support@acme.com and [redacted:email#1]",
    password: "abc123",
  });
});

test("a text on which a user's pattern takes too long is redacted whole, and only once waited for", () => {
  const redactor = createRedactor({ patterns: [{ name: "slow", pattern: "^(a+)+$" }] });
  const text = `${"a".repeat(5000)}!`;
  const start = performance.now();
  for (let i = 0; i < 20; i++) expect(redactor.text(text)).toBe("[redacted:slow#1]");
  expect(performance.now() - start).toBeLessThan(2000);
  expect(redactor.text("short")).toBe("short");
});

test("a card's number is found among other numbers, and an account's before a word", () => {
  expect(createRedactor().text("2 x 4111 1111 1111 1111 12/27")).toBe(
    "2 x [redacted:card#1] 12/27",
  );
  expect(createRedactor().text("12 4111-1111-1111-1111 123")).toBe("12 [redacted:card#1] 123");
  expect(createRedactor().text("AT61 1904 3002 3457 3201 BIC")).toBe("[redacted:iban#1] BIC");
});

test("redaction that is off changes nothing", () => {
  expect(createRedactor({ off: true }).value({ password: "x" })).toEqual({ password: "x" });
});

test("JSON in a string keeps its indentation, its exact integers and its validity", () => {
  const text = JSON.stringify(
    { password: "swordfish", id: 1, card: 4111111111111111 },
    null,
    2,
  ).replace('"id": 1', '"id": 9007199254740993');
  expect(createRedactor().text(text)).toBe(
    '{\n  "password": "[redacted:secret#1]",\n  "id": 9007199254740993,\n  "card": "[redacted:card#1]"\n}',
  );
});

test("a secret hidden behind a member of the same name in JSON text is found", () => {
  expect(createRedactor().text('{"a":"jane@acme.com","a":"x"}')).toBe(
    '{"a":"[redacted:email#1]","a":"x"}',
  );
});

test("text in bytes is redacted, and other bytes are left alone", () => {
  const redacted = createRedactor().value(
    encode({ body: Buffer.from("to jane@acme.com"), image: Buffer.from([255, 216, 1]) }),
  );
  expect(redacted).toEqual(
    encode({ body: Buffer.from("to [redacted:email#1]"), image: Buffer.from([255, 216, 1]) }),
  );
});

test("all texts below a member named secrets are secret", () => {
  expect(createRedactor().value({ secrets: { db: "swordfish", nested: { x: "y" } } })).toEqual({
    secrets: { db: "[redacted:secret#1]", nested: { x: "[redacted:secret#2]" } },
  });
});

test("two secret names of one object stay two members", () => {
  const value = { "jane@acme.com": 1, "joe@acme.com": 2, "[redacted:email#1]": 3 };
  expect(Object.values(createRedactor().value(value) as object)).toEqual([1, 2, 3]);
});

test("constructor, toString and __proto__ are names like any other", () => {
  const value = JSON.parse(
    '{"constructor":"a","toString":"b","hasOwnProperty":"c","valueOf":{"constructor":1}}',
  ) as Json;
  const redactor = createRedactor({ keys: ["constructor"] });
  expect(createRedactor().value(value)).toBe(value);
  expect(encode(value)).toEqual(value);
  expect(JSON.stringify(redactor.value(value))).toBe(
    '{"constructor":"[redacted:secret#1]","toString":"b","hasOwnProperty":"c","valueOf":{"constructor":1}}',
  );
});

test("an own __proto__ member is walked and kept", () => {
  const value = JSON.parse('{"__proto__":{"password":"swordfish"},"b":1}') as Json;
  expect(JSON.stringify(createRedactor().value(value))).toBe(
    '{"__proto__":{"password":"[redacted:secret#1]"},"b":1}',
  );
});

test("found secrets are named by place and rule, and never shown", () => {
  const [token] = SHAPES["github classic"] ?? [""];
  const found = findSecrets({ a: [{ password: "swordfish" }, token], [token]: "jane@acme.com" });
  expect(found).toEqual([
    { pointer: "/a/0/password", rule: "secret" },
    { pointer: "/a/1", rule: "github" },
    { pointer: "", rule: "github" },
    { pointer: "/[redacted:github#1]", rule: "email" },
  ]);
});

test("placeholders of one kind are equal when calls are compared, and undefined members are missing", () => {
  expect(
    matchable({
      to: "[redacted:email#1]",
      "[redacted:email#2]": ["x [redacted:env#12] y"],
      gone: { $t: "undefined" },
    }),
  ).toEqual({
    to: "[redacted:email]",
    "[redacted:email]": ["x [redacted:secret] y"],
  });
  const plain = { a: [1, { b: "c" }] };
  expect(matchable(plain)).toBe(plain);
});

test("100 kB of text made to be slow takes no time by any rule", () => {
  const size = 100_000;
  const killers = [
    "a",
    "1",
    "-",
    "@",
    "a@",
    "1-",
    "1 ",
    "eyJ",
    "eyJa.",
    "sk-",
    "sk-a",
    "://",
    "://a:",
    "a=",
    "password=",
    "password: \\",
    '"',
    "\\",
    '\\"',
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN RSA ",
    "[redacted:",
    "{",
    "[",
    '{"a":',
    "Bearer ",
    "Bearer a",
    "basic ",
    "a.",
    "1.",
    "+1",
    "+1 ",
    "(2",
    "DE89",
    "2001:",
    "f:",
    "A",
    "/",
    "%3D",
    "\\u0041",
    "EAA",
    "a.b@c.",
    "_",
    "key-",
    "xoxb-",
    "https://a:b",
    "-us1",
    "$t",
    "0a",
    "Aa1",
    "a1@",
    "MAAAAAAAAAAAAAAAAAAAAAAA.",
  ];
  const slow: string[] = [];
  for (const killer of killers) {
    const text = killer.repeat(Math.ceil(size / killer.length));
    const redactor = createRedactor();
    redactor.text(text.slice(0, 1000));
    const start = performance.now();
    redactor.text(text);
    redactor.text(`${text}!`);
    const took = performance.now() - start;
    if (took > 400) slow.push(`${killer}: ${Math.round(took)} ms`);
  }
  expect(slow).toEqual([]);
});

test("a secret known as a variable's value on one machine and by its name on another is equal in matching", () => {
  expect(matchable("Use [redacted:env#2].")).toBe(matchable("Use [redacted:secret#1]."));
  expect(matchable("Use [redacted:env#2].")).not.toBe(matchable("Use [redacted:card#2]."));
});
