"""The parser's names for what only reads: statements, syntax, and functions that have a grammar of their own. Whatever a
newer parser adds is held until it stands here."""

from __future__ import annotations

from synartesis.policy.sql.words import words

_QUERIES = words("Select Union Except Intersect Subquery")
_STATEMENTS = {
    "postgres": _QUERIES | words("Values Command"),
    "mysql": _QUERIES | words("Values Describe Show Command"),
    "sqlite": _QUERIES | words("Values Pragma Command"),
    "duckdb": _QUERIES | words("Values Describe Show Summarize PathColumnConstraint Pivot Pragma Command"),
    "tsql": _QUERIES,
    "bigquery": _QUERIES,
    "snowflake": _QUERIES | words("Values Describe Show Command"),
    "": _QUERIES | words("Values Describe Show Summarize Pivot Pragma Command"),
}


def statements_of(dialect: str) -> frozenset[str]:
    """The kinds of statement that may be reads. Command (SHOW and EXPLAIN as they were written) and Pragma are judged
    further."""
    return _STATEMENTS[dialect]


SYNTAX_OF = {
    "postgres": words("DistanceNd"),
    "mysql": words("IndexTableHint FileFormatProperty MatchAgainst Partition Show Hint"),
    "sqlite": words("Match"),
    "duckdb": words("Show Summarize Comprehension HistoricalData"),
    "tsql": words("WithTableHint QueryOption XMLKeyValueOption ForClause OpenJSONColumnDef HistoricalData"),
    "bigquery": words("HistoricalData"),
    "snowflake": words(
        "Show HistoricalData MatchRecognize MatchRecognizeMeasure Changes SemanticView Connect DirectoryStage Property"
    ),
}
"""Further syntax that one dialect has."""

READING_SYNTAX = words(
    """
    Add Adjacent Alias Aliases All Any AtTimeZone Between BitString BitwiseAnd BitwiseLeftShift BitwiseNot BitwiseOr
    BitwiseRightShift BitwiseXor Boolean Bracket ByteString CTE CharacterSet Collate Column ColumnConstraint ColumnDef
    Cube DPipe DataType DataTypeParam Describe Distance Distinct Div Dot EQ Escape Except Exists ExtendsLeft
    ExtendsRight Fetch Filter FormatJson From FromTimeZone GT GTE Glob Group GroupingSets Having HavingMax HexString
    ILike Identifier IgnoreNulls In IntDiv Intersect Interval IntervalOp IntervalSpan Introducer Is JSON JSONColumnDef
    JSONExtractQuote JSONKeyValue JSONPath JSONPathFilter JSONPathKey JSONPathPart JSONPathRecursive JSONPathRoot
    JSONPathScript JSONPathSelector JSONPathSlice JSONPathSubscript JSONPathUnion JSONPathWildcard JSONSchema
    JSONValue Join Kwarg LT LTE Lambda Lateral Like Limit LimitOptions Literal Mod Mul NEQ National Nearest Neg
    NestedJSONSelect Not NotNullColumnConstraint Null NullSafeEQ NullSafeNEQ ObjectIdentifier Offset OnCondition
    Operator Order Ordered OverflowTruncateBehavior Overlaps Parameter Paren PathColumnConstraint Pivot PivotAlias
    PivotAny Placeholder PositionalColumn Prior PropertyEQ PseudoType Pseudocolumn Qualify RawString
    RecursiveWithSearch RespectNulls Rollup ScopeResolution Select SessionParameter SimilarTo Slice Sort Star Sub
    Subquery Table TableAlias TableColumn TableFromRows TableSample TimeUnit Tuple UnicodeString Union UnpivotColumns
    Values Var Variadic Version Where Window WindowSpec With WithinGroup XMLNamespace
    """
)

BUILT_FUNCTIONS = words(
    """
    Abs Acos Acosh AddMonths And AnyValue ApproxDistinct ApproxPercentileAccumulate ApproxPercentileCombine
    ApproxPercentileEstimate ApproxQuantile ApproxQuantiles ApproxTopK ApproxTopKAccumulate ApproxTopKCombine
    ApproxTopKEstimate ApproxTopSum ApproximateSimilarity ArgMax ArgMin Array ArrayAgg ArrayAll ArrayAny ArrayAppend
    ArrayCompact ArrayConcat ArrayConcatAgg ArrayConstructCompact ArrayContainedBy ArrayContains ArrayContainsAll
    ArrayDistinct ArrayExcept ArrayFilter ArrayFirst ArrayInsert ArrayIntersect ArrayLast ArrayMax ArrayMin
    ArrayOverlaps ArrayPosition ArrayPrepend ArrayRemove ArrayRemoveAt ArrayReverse ArraySize ArraySlice ArraySort
    ArraySum ArrayToString ArrayUnionAgg ArrayUniqueAgg ArraysZip Ascii Asin Asinh Atan Atan2 Atanh Avg
    Base64DecodeBinary Base64DecodeString Base64Encode BitLength BitmapBitPosition BitmapBucketNumber
    BitmapConstructAgg BitmapCount BitmapOrAgg BitwiseAndAgg BitwiseCount BitwiseOrAgg BitwiseXorAgg Booland Boolnot
    Boolor BoolxorAgg ByteLength Case Cast CastToStrType Cbrt Ceil CheckJson CheckXml Chr CityHash64 Coalesce
    CodePointsToBytes CodePointsToString Collate Collation Columns Compress Concat ConcatWs ConnectByRoot Contains
    Convert ConvertTimezone ConvertToCharset Corr Cos Cosh CosineDistance Cot Coth Count CountIf CovarPop CovarSamp
    Csc Csch CumeDist CurrentAccount CurrentAccountName CurrentAvailableRoles CurrentCatalog CurrentClient
    CurrentDatabase CurrentDate CurrentDatetime CurrentIpAddress CurrentOrganizationName CurrentOrganizationUser
    CurrentRegion CurrentRole CurrentRoleType CurrentSchema CurrentSchemas CurrentSecondaryRoles CurrentSession
    CurrentStatement CurrentTime CurrentTimestamp CurrentTimestampLTZ CurrentTimezone CurrentTransaction CurrentUser
    CurrentUserId CurrentVersion CurrentWarehouse Date DateAdd DateBin DateDiff DateFromParts DateFromUnixDate
    DateStrToDate DateSub DateToDateStr DateToDi DateTrunc Datetime DatetimeAdd DatetimeDiff DatetimeSub DatetimeTrunc
    Day DayOfMonth DayOfWeek DayOfWeekIso DayOfYear Dayname Decode DecodeCase DecompressBinary DecompressString
    Decrypt DecryptRaw Degrees DenseRank DiToDate DotProduct Elt Encode Encrypt EncryptRaw EndsWith EqualNull
    EuclideanDistance Exists Exp Explode ExplodingGenerateSeries Extract Factorial FarmFingerprint First FirstValue
    Flatten Float64 Floor Format FromBase FromBase32 FromBase64 FromISO8601Date FromISO8601Timestamp
    FromISO8601TimestampNanos FromJson GapFill GenerateDateArray GenerateSeries GenerateTimestampArray Generator
    GetExtract GetIgnoreCase Getbit Greatest GroupConcat Grouping GroupingId HashAgg Hex HexDecodeString Hll Host Hour
    If Initcap Inline Int64 IsArray IsAscii IsInf IsNan IsNullValue JSONArray JSONArrayAgg JSONArrayAppend
    JSONArrayContains JSONArrayInsert JSONBContains JSONBContainsAllTopKeys JSONBContainsAnyTopKeys
    JSONBContainsTopKey JSONBDeleteAtPath JSONBExists JSONBExtract JSONBExtractScalar JSONBObjectAgg JSONBPathExists
    JSONBool JSONCast JSONExists JSONExtract JSONExtractArray JSONExtractScalar JSONFormat JSONKeys JSONKeysAtDepth
    JSONObject JSONObjectAgg JSONRemove JSONSet JSONStripNulls JSONTable JSONType JSONValueArray JarowinklerSimilarity
    JustifyDays JustifyHours JustifyInterval Kurtosis Lag Last LastDay LastValue LaxBool LaxFloat64 LaxInt64 LaxString
    Lead Least Left Length Levenshtein List Ln Localtime Localtimestamp Log LogicalAnd LogicalOr Lower LowerHex MD5
    MD5Digest MD5NumberLower64 MD5NumberUpper64 MakeInterval ManhattanDistance Map MapCat MapContainsKey MapDelete
    MapFromEntries MapInsert MapKeys MapPick MapSize MatchAgainst Max Median Min Minhash MinhashCombine Minute Mode
    Month Monthname MonthsBetween Nanvl Negative NetFunc NextDay Normal Normalize NthValue Ntile Nullif NumberToStr
    Nvl2 ObjectAgg ObjectId ObjectInsert ObjectTransform OpenJSON Or Overlay Pad ParseBignumeric ParseDatetime ParseIp
    ParseJSON ParseNumeric ParseTime ParseUrl PercentRank PercentileCont PercentileDisc Pi Posexplode PosexplodeOuter
    Pow PreviousDay Quantile Quarter Radians Rand Randn Randstr RangeBucket RangeN Rank Reduce RegDomain RegexpCount
    RegexpExtract RegexpExtractAll RegexpFullMatch RegexpILike RegexpInstr RegexpLike RegexpReplace RegexpSplit
    RegexpSubstr RegrAvgx RegrAvgy RegrCount RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy RegrValx RegrValy
    Repeat Replace Reverse Right Rint Round RowNumber RtrimmedLength SHA SHA1Digest SHA2 SHA2Digest SafeAdd
    SafeConvertBytesToString SafeDivide SafeFunc SafeMultiply SafeNegate SafeSubtract Search SearchIp Sec Sech Second
    Seq1 Seq2 Seq4 Seq8 SessionUser Shuffle Sign Sin Sinh Skewness Soundex SoundexP123 Space Split SplitPart
    SplitToTable Sqrt StDistance StPoint Stack StandardHash StarMap StartsWith Stddev StddevPop StddevSamp StrPosition
    StrToDate StrToMap StrToTime StrToUnix String StringToArray StripNullValue Strtok StrtokSplitToTable StrtokToArray
    Struct StructExtract Stuff Substring SubstringIndex Sum Systimestamp Tan Tanh Time TimeAdd TimeDiff TimeFromParts
    TimeSlice TimeStrToDate TimeStrToTime TimeStrToUnix TimeSub TimeToStr TimeToTimeStr TimeToUnix TimeTrunc Timestamp
    TimestampAdd TimestampDiff TimestampFromParts TimestampLtzFromParts TimestampSub TimestampTrunc
    TimestampTzFromParts ToArray ToBase32 ToBase64 ToBinary ToBoolean ToChar ToCodePoints ToDays ToDecfloat ToDouble
    ToMap ToNumber ToVariant Translate Trim Trunc Try TryBase64DecodeBinary TryBase64DecodeString TryCast
    TryHexDecodeBinary TryHexDecodeString TryToDecfloat TsOrDiToDi TsOrDsAdd TsOrDsDiff TsOrDsToDate TsOrDsToDateStr
    TsOrDsToDatetime TsOrDsToTime TsOrDsToTimestamp Typeof Unhex Unicode Uniform UnixDate UnixMicros UnixMillis
    UnixSeconds UnixToStr UnixToTime UnixToTimeStr Unnest Upper UtcDate UtcTime UtcTimestamp Uuid VarMap VectorSearch Variance
    VariancePop Week WeekOfYear WeekStart WeightString WidthBucket XMLElement XMLGet XMLTable Xor Year YearOfWeek
    YearOfWeekIso Zipf _ExplodeOuter
    """
)
"""Functions that come without the name that they were called by: those with a grammar of their own (CAST, EXTRACT), operators,
and what the parser puts around a named one."""
