import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { areRulesInstalled, brokenRules } from './templateRules.ts'
import { schemaFaults } from './templateSchema.ts'

// edge.yml: CloudFront and WAF in front of a stage.

const template = parse(readFileSync(new URL('../../edge.yml', import.meta.url), 'utf8'))
const { Distribution, WebAcl } = template.Resources
const { DefaultCacheBehavior, Origins } = Distribution.Properties.DistributionConfig
const [eachToken, withoutToken, eachAddress] = WebAcl.Properties.Rules

/** What each caller may always send. */
const PROMISED_A_SECOND = 25

describe('the template of the edge', () => {
  test('is what CloudFormation takes', () => {
    expect(schemaFaults(template)).toEqual([])
  })

  test.skipIf(!areRulesInstalled)('keeps the rules of cdk-nag, or says why not', () => {
    const exceptions = [
      {
        rule: 'AwsSolutions-CFR1',
        on: /^Distribution$/,
        why: 'Callers are known by their tokens, wherever they are.',
      },
      {
        rule: 'AwsSolutions-CFR3',
        on: /^Distribution$/,
        why: 'The gateway logs each call without its path, which may hold ids; the log of CloudFront has the path.',
      },
    ]
    expect(brokenRules(template, exceptions)).toEqual({ broken: [], idle: [] })
  })

  test('counts calls by their Authorization header, and never limits what each caller is promised', () => {
    const { AggregateKeyType, CustomKeys, EvaluationWindowSec, Limit } = eachToken.Statement.RateBasedStatement
    expect([AggregateKeyType, CustomKeys.map((key: { Header: { Name: string } }) => key.Header.Name)]).toEqual([
      'CUSTOM_KEYS',
      ['authorization'],
    ])
    const { MinValue, Default } = template.Parameters[Limit.Ref]
    // WAF estimates: it may refuse somewhat below the limit.
    for (const limit of [MinValue, Default])
      expect(limit / EvaluationWindowSec).toBeGreaterThanOrEqual(2 * PROMISED_A_SECOND)
  })

  test('counts each spelling of the header for the same caller', () => {
    const [{ Header }] = eachToken.Statement.RateBasedStatement.CustomKeys
    expect(Header.TextTransformations).toEqual([
      { Priority: 0, Type: 'COMPRESS_WHITE_SPACE' },
      { Priority: 1, Type: 'LOWERCASE' },
    ])
  })

  test('counts all requests of an address, with a higher limit', () => {
    const { AggregateKeyType, ScopeDownStatement, Limit } = eachAddress.Statement.RateBasedStatement
    expect([AggregateKeyType, ScopeDownStatement]).toEqual(['IP', undefined])
    const ofCaller = template.Parameters[eachToken.Statement.RateBasedStatement.Limit.Ref]
    expect(template.Parameters[Limit.Ref].Default).toBeGreaterThanOrEqual(10 * ofCaller.Default)
  })

  test('counts calls without the header by their address, but not those before a call of a web page', () => {
    const { AggregateKeyType, ScopeDownStatement } = withoutToken.Statement.RateBasedStatement
    expect(AggregateKeyType).toBe('IP')
    const left = ScopeDownStatement.AndStatement.Statements.map(
      (one: { NotStatement: { Statement: object } }) => Object.entries(one.NotStatement.Statement)[0],
    )
    expect(left).toMatchObject([
      ['SizeConstraintStatement', { FieldToMatch: { SingleHeader: { Name: 'authorization' } }, Size: 0 }],
      ['ByteMatchStatement', { FieldToMatch: { Method: {} }, SearchString: 'OPTIONS' }],
    ])
  })

  test('refuses with 429, and lets everything else pass', () => {
    for (const { Action } of [eachToken, withoutToken, eachAddress])
      expect(Action.Block.CustomResponse.ResponseCode).toBe(429)
    expect(WebAcl.Properties.DefaultAction).toEqual({ Allow: {} })
    expect(Distribution.Properties.DistributionConfig.WebACLId).toEqual({ 'Fn::GetAtt': ['WebAcl', 'Arn'] })
  })

  test('keeps what the console says can be kept, for everybody, and no error', () => {
    const { CacheBehaviors, CustomErrorResponses } = Distribution.Properties.DistributionConfig
    expect(CacheBehaviors.map(({ PathPattern }: { PathPattern: string }) => PathPattern)).toEqual([
      '/console',
      '/console/*',
    ])
    for (const { CachePolicyId, OriginRequestPolicyId } of CacheBehaviors)
      expect([CachePolicyId, OriginRequestPolicyId]).toEqual([{ Ref: 'ConsoleCache' }, undefined])
    const {
      MinTTL,
      DefaultTTL,
      ParametersInCacheKeyAndForwardedToOrigin: key,
    } = template.Resources.ConsoleCache.Properties.CachePolicyConfig
    // With a minimum the page would be kept, although it says no-cache.
    expect([MinTTL, DefaultTTL]).toEqual([0, 0])
    expect(key).toMatchObject({
      CookiesConfig: { CookieBehavior: 'none' },
      HeadersConfig: { HeaderBehavior: 'none' },
      QueryStringsConfig: { QueryStringBehavior: 'none' },
    })
    const kept = CustomErrorResponses.filter((one: { ErrorCachingMinTTL: number }) => one.ErrorCachingMinTTL > 0)
    expect([kept, CustomErrorResponses.length]).toEqual([[], 8])
  })

  test('passes calls on unchanged, over TLS, and keeps no answer', () => {
    // By the ids of AWS's policies.
    expect(DefaultCacheBehavior).toMatchObject({
      ViewerProtocolPolicy: 'https-only',
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
    })
    expect(DefaultCacheBehavior.AllowedMethods).toEqual(
      expect.arrayContaining(['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS']),
    )
    expect(Origins[0]).toMatchObject({
      DomainName: { Ref: 'OriginDomain' },
      OriginPath: { Ref: 'OriginPath' },
      CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] },
    })
    expect(template.Parameters.OriginPath.NoEcho).toBe(true)
  })
})
